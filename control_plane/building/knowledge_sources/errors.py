"""Errors of knowledge sources."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class KnowledgeSourceNotFound(NotFound):
    code = "knowledge_source_not_found"
    title = "The agent has no such knowledge source"


class KnowledgeTooLarge(Problem):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "knowledge_too_large"
    title = "The text or file is too large"


class KnowledgeSourcesExceeded(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "quota_exceeded.knowledge_sources_max"
    title = "Your plan allows no more knowledge sources"


class KnowledgeBytesExceeded(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "quota_exceeded.knowledge_bytes_max"
    title = "Your plan allows no more bytes of knowledge"


class OnlyPagesAreRefreshed(Problem):
    status = HTTPStatus.CONFLICT
    code = "only_pages_are_refreshed"
    title = "Only a source of kind url can be fetched again"


class KnowledgeOfPersona(Problem):
    status = HTTPStatus.CONFLICT
    code = "knowledge_of_persona"
    title = "The source is the knowledge base of the agent's persona"


class KnowledgeUnavailable(Problem):
    """The object store or the embedding model is away."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "knowledge_unavailable"
    title = "The passages cannot be read at the moment"


class KnowledgeTooSlow(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "knowledge_too_slow"
    title = "The passages could not be read in time"

    def __init__(self) -> None:
        super().__init__(
            "Try again shortly: what was read so far is kept as long as there is room for it",
            headers={"Retry-After": "2"},
        )


class KnowledgeShareUsedUp(Problem):
    """``limit`` is the number of requests for passages that one tenant may have under way on one
    server."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "knowledge_share_used_up"
    title = "Your tenant reads passages too often at once"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"A tenant may search or read passages {limit} times at once on one server; "
            "wait for some of them",
            headers={"Retry-After": "1"},
            limit=limit,
        )
