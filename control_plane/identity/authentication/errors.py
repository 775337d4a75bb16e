"""Problems with the caller's key, session or role."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class SecretKeyRequired(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "secret_key_required"
    title = "A publishable key cannot do this"


class RoleRequired(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "role_required"
    title = "Your role does not permit this"


class SessionRequired(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "session_required"
    title = "This needs a dashboard session; a key cannot do it"


class CsrfTokenRequired(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "csrf_token_required"
    title = "The header X-CSRF-Token is missing or wrong"


class OriginNotAllowed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "origin_not_allowed"
    title = "The publishable key does not permit this page's origin"
