"""Knowledge sources on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictStr, StringConstraints, model_validator

from control_plane.building.knowledge_sources.models import KnowledgeSource
from outbound.address import LONGEST_ADDRESS

MOST_TITLE_BYTES = 200
MOST_TEXT_BYTES = 1_048_576
MOST_FILE_BYTES = 10 * 1_048_576
Kind = Literal["text", "url", "file", "persona"]
Status = Literal["pending", "ready", "failed"]
RefreshHours = Annotated[int, Field(ge=1, le=720, strict=True)]


class KnowledgeSourceCreate(BaseModel):
    """``text`` is for kind `text`, ``url`` for kind `url`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"kind": "text", "title": "Parking", "text": "Guests park for free."}
        },
    )
    kind: Literal["text", "url"]
    title: Annotated[StrictStr, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description=f"At most {MOST_TITLE_BYTES} bytes of UTF-8."
    )
    text: StrictStr | None = Field(None, description="At most 1 MB of UTF-8, otherwise 413.")
    url: (
        Annotated[StrictStr, StringConstraints(strip_whitespace=True, max_length=LONGEST_ADDRESS)]
        | None
    ) = Field(None, description="The address of a web page.")
    refresh_hours: RefreshHours | None = Field(
        None, description="How often the web page is fetched again. Null: only on request."
    )

    @model_validator(mode="after")
    def _has_its_content(self) -> KnowledgeSourceCreate:
        given, other = (self.text, "url") if self.kind == "text" else (self.url, "text")
        if given is None or not given.strip():
            raise ValueError(f"a source of kind {self.kind} needs '{self.kind}'")
        if getattr(self, other) is not None:
            raise ValueError(f"a source of kind {self.kind} takes no '{other}'")
        if self.kind != "url" and self.refresh_hours is not None:
            raise ValueError("only a source of kind url takes 'refresh_hours'")
        return self


class KnowledgeSourceUpdate(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"refresh_hours": 24}})
    refresh_hours: RefreshHours | None = Field(
        description="How often the web page is fetched again. Null: only on request."
    )


class KnowledgeSourceView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    agent_id: UUID
    kind: Kind
    title: str
    source_uri: str | None = Field(description="The address, the filename, or null for a text.")
    status: Status
    progress: float = Field(description="0 to 1: how much of it is ingested.")
    chunk_count: int
    bytes: int
    failure_reason: str | None
    refresh_hours: int | None = Field(description="How often a web page is fetched again.")
    refresh_at: datetime | None = Field(description="When it is fetched again at the earliest.")
    created_at: datetime
    updated_at: datetime


class KnowledgeSourceCreated(BaseModel):
    source: KnowledgeSourceView

    @classmethod
    def of(cls, source: KnowledgeSource) -> KnowledgeSourceCreated:
        return cls(source=KnowledgeSourceView.model_validate(source))


class KnowledgeSourceList(BaseModel):
    sources: list[KnowledgeSourceView]


class Chunk(BaseModel):
    context: str = Field(description="The source's title and the headings above the text.")
    text: str


class KnowledgeSourceDetail(BaseModel):
    source: KnowledgeSourceView
    chunks: list[Chunk] | None = Field(description="Null unless they were asked for.")


class KnowledgeQuestion(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"question": "Where can I park?"}}
    )
    question: Annotated[
        StrictStr, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)
    ]
    limit: Annotated[int, Field(ge=1, le=20, strict=True)] = 5


class FoundChunk(Chunk):
    source_id: UUID
    source_title: str
    score: float = Field(description="Of both lists together. Compare it within one search only.")
    similarity: float = Field(description="By meaning: the cosine, -1 to 1.")
    word_score: float = Field(description="By words: BM25, 0 or more.")


class KnowledgeFound(BaseModel):
    results: list[FoundChunk] = Field(description="Best first.")
