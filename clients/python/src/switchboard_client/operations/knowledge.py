"""``/v1/agents/{agent_id}/knowledge-sources``."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from switchboard_client.models import (
    KnowledgeFound,
    KnowledgeSourceCreated,
    KnowledgeSourceDetail,
    KnowledgeSourceList,
)
from switchboard_client.operation import Operation, delete, get, given, patch, post
from switchboard_client.request import Request, Upload, at, query

Id = UUID | str
_SOURCES = "/v1/agents/{}/knowledge-sources"
_SOURCE = _SOURCES + "/{}"


def sources(agent_id: Id) -> Operation[KnowledgeSourceList]:
    """What the agent looks up in calls, newest first."""
    return get(at(_SOURCES, agent_id), KnowledgeSourceList)


def add_text(
    agent_id: Id, title: str, text: str, *, idempotency_key: str | None = None
) -> Operation[KnowledgeSourceCreated]:
    """Add a text, which may have headings in Markdown. It is ingested in the background."""
    body = {"kind": "text", "title": title, "text": text}
    return post(at(_SOURCES, agent_id), KnowledgeSourceCreated, body).once(idempotency_key)


def add_page(
    agent_id: Id,
    title: str,
    url: str,
    *,
    refresh_hours: int | None = None,
    idempotency_key: str | None = None,
) -> Operation[KnowledgeSourceCreated]:
    """Add a web page. It is fetched and ingested in the background.

    Args:
        refresh_hours: how often it is fetched again; by default only on request.
    """
    body = {"kind": "url", "title": title, "url": url, **given(refresh_hours=refresh_hours)}
    return post(at(_SOURCES, agent_id), KnowledgeSourceCreated, body).once(idempotency_key)


def upload(
    agent_id: Id,
    filename: str,
    content: bytes,
    *,
    title: str | None = None,
    idempotency_key: str | None = None,
) -> Operation[KnowledgeSourceCreated]:
    """Upload a txt, md, pdf, docx, html or json file. It is ingested in the background.

    Args:
        title: by default the filename.
    """
    form = Upload(filename, content, {} if title is None else {"title": title})
    request = Request("POST", at(_SOURCES + "/upload", agent_id), upload=form)
    return Operation[KnowledgeSourceCreated](request, KnowledgeSourceCreated).once(idempotency_key)


def show(
    agent_id: Id,
    source_id: Id,
    *,
    chunks: bool | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> Operation[KnowledgeSourceDetail]:
    """One source; with ``chunks=True`` also a page of its passages."""
    asked = query(chunks=chunks, limit=limit, offset=offset)
    return get(at(_SOURCE, agent_id, source_id), KnowledgeSourceDetail, asked)


def search(agent_id: Id, question: str, *, limit: int | None = None) -> Operation[KnowledgeFound]:
    """The passages that a call would find for a question, best first, with their scores."""
    body = given(question=question, limit=limit)
    return post(at(_SOURCES + "/search", agent_id), KnowledgeFound, body)


def refresh(
    agent_id: Id, source_id: Id, *, idempotency_key: str | None = None
) -> Operation[KnowledgeSourceCreated]:
    """Fetch the web page of a source again."""
    place = at(_SOURCE + "/refresh", agent_id, source_id)
    return post(place, KnowledgeSourceCreated).once(idempotency_key)


def fetch_every(
    agent_id: Id, source_id: Id, refresh_hours: int | None
) -> Operation[KnowledgeSourceCreated]:
    """Change how often the web page of a source is fetched again; ``None``: only on request."""
    body = {"refresh_hours": refresh_hours}
    return patch(at(_SOURCE, agent_id, source_id), KnowledgeSourceCreated, body)


def remove(agent_id: Id, source_id: Id) -> Operation[dict[str, Any]]:
    """Delete a source with its passages. The answer is empty."""
    return delete(at(_SOURCE, agent_id, source_id), dict, {})
