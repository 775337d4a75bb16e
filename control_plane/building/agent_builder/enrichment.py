"""Describes a company from its web page, for an agent's persona."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from control_plane.building.agent_builder import instructions
from control_plane.building.agent_builder.clean_text import clean_text
from control_plane.building.agent_builder.page_text import (
    MOST_PASSAGES,
    PageText,
    plain_page,
    read_page,
)
from control_plane.building.agent_builder.platform_model import PlatformModel, unusable
from control_plane.building.agent_builder.schemas import Source
from control_plane.building.web_pages.fetching import PageNotRead, fetch_page
from control_plane.platform.language_model.failures import ModelFailed
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver, resolve
from pipelines.texts.model_commands import without_commands

_LONGEST_NAME = 200
_LONGEST_ADDRESS = 2_048
_READING_SECONDS = 15.0


class NoEnrichment(Exception):
    """The company cannot be described. The message is a sentence that says why."""


@dataclass(frozen=True)
class Enrichment:
    description: str
    knowledge: tuple[str, ...]
    source: Source


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    companyDescription: Annotated[str, Field(min_length=1, max_length=2_000)]
    knowledgeBase: Annotated[
        list[Annotated[str, Field(max_length=600)]], Field(max_length=MOST_PASSAGES)
    ]


async def enrich(
    company_name: object,
    website_url: object,
    policy: OutboundPolicy,
    model: PlatformModel | None,
    resolver: Resolver = resolve,
) -> Enrichment:
    """
    Raises:
        NoEnrichment: an input is not valid, or the page cannot be read or says nothing.
    """
    name = _text("companyName", company_name, _LONGEST_NAME)
    url = _text("websiteUrl", website_url, _LONGEST_ADDRESS)
    try:
        page = await fetch_page(url, policy, resolver=resolver)
    except PageNotRead as error:
        raise NoEnrichment(str(error)) from error
    read = read_page if page.is_html else plain_page
    try:
        # A thread cannot be stopped, but the request does not have to wait for it.
        found = await asyncio.wait_for(asyncio.to_thread(read, page.text), _READING_SECONDS)
    except TimeoutError as error:
        raise NoEnrichment("The page took too long to read.") from error
    if not found.text:
        raise NoEnrichment("The page contains no text that describes a company.")
    if model is not None:
        try:
            return await _by_model(name, found, model)
        except ModelFailed:
            # The page's own words are used instead.
            pass
    return Enrichment(found.description, found.passages, "local")


async def _by_model(name: str, page: PageText, model: PlatformModel) -> Enrichment:
    """Raises ``ModelFailed``."""
    request = instructions.describing_company(name, page.text)
    answer = await model.answer(_Described, request)
    description = without_commands(clean_text(answer.companyDescription))
    if not description:
        raise unusable()
    facts = (without_commands(clean_text(item)) for item in answer.knowledgeBase)
    return Enrichment(description, tuple(fact for fact in facts if fact), "llm")


def _text(field: str, value: object, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise NoEnrichment(f"{field} must be a string that is not blank.")
    if len(value) > longest:
        raise NoEnrichment(f"{field} must have at most {longest} characters.")
    return value.strip()
