"""A published version of an agent as calls run it. A version never changes, so it is read once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from cachetools import LRUCache
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedStack
from contracts.versions import read_object
from control_plane.building.agents.knowledge.pages import read_pages, texts_of_pages
from control_plane.building.agents.publishing.snapshot import digest_of, read_snapshot
from control_plane.building.agents.repository import find_version
from pipelines.texts.agent_texts import TextFiller, declared_variables, needed_variables
from pipelines.texts.page_texts import PageTexts, with_page_texts
from pipelines.texts.prompt import (
    described,
    knowledge_to_look_up,
    prompt_template,
    texts_beside_prompt,
)
from pipelines.texts.prompt_template import PromptTemplate
from pipelines.texts.templates.template import is_plain

MAX_VERSIONS = 500
MOST_CHARACTERS_AT_ONCE = 4_000
"""Of texts without logic, which take at most a millisecond to fill in. A thread costs 0.25 ms."""


@dataclass(frozen=True)
class PublishedAgent:
    config: AgentConfig
    stacks: Mapping[str, ResolvedStack]
    """The frozen stacks, by language."""
    compiled_prompt: str
    """The frozen prompt of a call without variables."""
    prompt: PromptTemplate
    """The frozen prompt, without any sections where ``compiled_prompt`` is that of every call."""
    texts_beside_prompt: tuple[tuple[str, str], ...]
    """Field and text of the agent's other texts with placeholders."""
    needed_variables: Mapping[str, str]
    """Each with the first text that needs it."""
    declared_variables: frozenset[str]
    """The variables that its texts use, also those that they can do without."""
    pages: PageTexts
    """The frozen texts of web pages that its knowledge base names."""
    knowledge_digest: str | None
    """Of what calls can look up of its knowledge base (``KnowledgeSource.content_digest``)."""

    @classmethod
    def read(cls, snapshot: str) -> PublishedAgent:
        """Takes some milliseconds of the processor."""
        frozen = read_snapshot(snapshot)
        config = read_object(AgentConfig, frozen.config)
        agent = described(config)
        stacks = frozen.provider_config.get("languages", {})
        prompt = read_object(PromptTemplate, frozen.prompt_template or {"sections": ()})
        pages = texts_of_pages(read_pages(frozen.knowledge_pages or ()))
        knowledge = knowledge_to_look_up(config, pages)
        return cls(
            config,
            {locale: read_object(ResolvedStack, stack) for locale, stack in stacks.items()},
            frozen.compiled_prompt,
            prompt,
            texts_beside_prompt(agent, prompt),
            needed_variables(agent),
            declared_variables(agent),
            pages,
            None if knowledge is None else digest_of(knowledge),
        )

    def speaking(self, locale: str) -> PublishedAgent:
        """The version as it is in another of its languages. Takes some milliseconds of the
        processor: publishing compiles the prompt of the primary language only."""
        config = self.config.model_copy(update={"language": locale})
        return replace(self, config=config)._with_prompt(prompt_template(config, self.pages))

    def looking_up(self) -> PublishedAgent:
        """The version with a prompt that leaves out what the call looks up. Takes some milliseconds
        of the processor."""
        return self._with_prompt(prompt_template(self.config, self.pages, looks_up=True))

    def _with_prompt(self, prompt: PromptTemplate) -> PublishedAgent:
        return replace(
            self,
            compiled_prompt=prompt.filled(TextFiller({})),
            prompt=prompt if prompt.open_texts else PromptTemplate(sections=()),
            texts_beside_prompt=texts_beside_prompt(described(self.config), prompt),
        )

    @cached_property
    def planned_config(self) -> AgentConfig:
        """For the plans of calls, where the playbook finds the texts of pages among the others."""
        return with_page_texts(self.config, self.pages)

    @property
    def has_placeholders(self) -> bool:
        """Whether variables make a difference to any of its texts."""
        return bool(self.prompt.sections or self.texts_beside_prompt)

    @cached_property
    def is_filled_at_once(self) -> bool:
        """Whether filling in its texts costs less than handing them to a thread."""
        texts = [
            *(each.text for each in self.prompt.open_texts),
            *(text for _, text in self.texts_beside_prompt),
        ]
        return sum(map(len, texts)) <= MOST_CHARACTERS_AT_ONCE and all(map(is_plain, texts))


class PublishedAgents:
    """Keeps the versions that were called last. One for each process.

    The key is the digest of the snapshot's text. A version whose secrets were sealed with another
    key therefore has another entry.
    """

    def __init__(self, size: int = MAX_VERSIONS) -> None:
        self._kept: LRUCache[str, PublishedAgent] = LRUCache(size)
        self._in_other_languages: LRUCache[tuple[str, str], PublishedAgent] = LRUCache(size)
        self._looking_up: LRUCache[tuple[str, str], PublishedAgent] = LRUCache(size)

    async def version(
        self, session: AsyncSession, tenant_id: UUID, agent_id: UUID, version: int, digest: str
    ) -> PublishedAgent:
        """The version, which ``session`` has found to exist with that digest."""
        kept = self._kept.get(digest)
        if kept is None:
            found = await find_version(session, tenant_id, agent_id, version)
            assert found is not None, "versions are never deleted"
            kept = await asyncio.to_thread(PublishedAgent.read, found.snapshot)
            self._kept[digest] = kept
        return kept

    async def speaking(self, published: PublishedAgent, digest: str, locale: str) -> PublishedAgent:
        """``published``, the version with that digest, in one of its languages."""
        if locale == published.config.language:
            return published
        kept = self._in_other_languages.get((digest, locale))
        if kept is None:
            kept = await asyncio.to_thread(published.speaking, locale)
            self._in_other_languages[digest, locale] = kept
        return kept

    async def looking_up(self, published: PublishedAgent, digest: str) -> PublishedAgent:
        """``published``, the version with that digest in any of its languages, for calls that look
        its knowledge base up."""
        key = digest, published.config.language
        kept = self._looking_up.get(key)
        if kept is None:
            kept = await asyncio.to_thread(published.looking_up)
            self._looking_up[key] = kept
        return kept
