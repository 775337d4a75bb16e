"""What can go wrong with chats."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem
from control_plane.platform.language_model.failures import ModelFailed


class ChatSessionNotFound(NotFound):
    """There never was one, or it has expired."""

    code = "chat_session_not_found"
    title = "Chat session not found"


class ChatSessionOver(Problem):
    status = HTTPStatus.CONFLICT
    code = "chat_session_over"
    title = "The chat is over; start another one"


class ChatSessionBusy(Problem):
    status = HTTPStatus.CONFLICT
    code = "chat_session_busy"
    title = "The agent is still answering the previous message"

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(
            f"The agent is still answering the previous message; try again in "
            f"{retry_after_seconds} s",
            headers={"Retry-After": str(retry_after_seconds)},
        )


class TooManyChatSessions(Problem):
    """``limit`` and ``used`` count the tenant's chats that have not expired."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_chat_sessions"
    title = "Too many chats are open"

    def __init__(self, limit: int, used: int, *, retry_after_seconds: int) -> None:
        super().__init__(
            f"A tenant may have at most {limit} chats; delete some that you do not need, or wait "
            "until they expire",
            headers={"Retry-After": str(retry_after_seconds)},
            limit=limit,
            used=used,
        )


class NoTextModel(Problem):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "no_text_model"
    title = "The agent's language model cannot chat in text"


class ChatModelFailed(Problem):
    """``reason`` is one of ``FailureReason``."""

    status = HTTPStatus.BAD_GATEWAY
    code = "chat_model_failed"
    title = "The agent's language model gave no answer"

    def __init__(self, failure: ModelFailed) -> None:
        super().__init__(failure.message, reason=failure.reason.value)
