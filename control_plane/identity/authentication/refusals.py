"""The problems of routes, by the kind of caller they depend on (``dependencies.py``)."""

from __future__ import annotations

from control_plane.identity.accounts.errors import (
    EmailNotConfirmed,
    ForeignOrigin,
    TooManyAttempts,
)
from control_plane.identity.accounts.sessions.authentication import SESSION_SCHEME
from control_plane.identity.authentication.dependencies import OPERATOR_SCHEME
from control_plane.identity.authentication.errors import (
    CsrfTokenRequired,
    OriginNotAllowed,
    RoleRequired,
    SecretKeyRequired,
    SessionRequired,
)
from control_plane.platform.http.openapi import AUTHENTICATED, SchemeRefusals

MEMBER_ONLY = (*AUTHENTICATED, SecretKeyRequired, OriginNotAllowed)
"""Every route with a ``MemberCaller``."""
ADMIN_ONLY = (*MEMBER_ONLY, RoleRequired)
"""Every route with an ``AdminCaller``."""
USER_ONLY = (*AUTHENTICATED, SessionRequired, OriginNotAllowed)
"""Every route with a ``UserCaller``."""
SESSION_REFUSALS = SchemeRefusals(
    SESSION_SCHEME,
    reading=(ForeignOrigin, EmailNotConfirmed),
    changing=(ForeignOrigin, CsrfTokenRequired, EmailNotConfirmed),
)
"""A dashboard session works only from the installation's own pages, needs its CSRF token to change
anything, and a confirmed mail address for everything that is not about its user."""
OPERATOR_REFUSALS = SchemeRefusals(
    OPERATOR_SCHEME, reading=(TooManyAttempts,), changing=(TooManyAttempts,)
)
"""Too many wrong tokens have come from the address."""
