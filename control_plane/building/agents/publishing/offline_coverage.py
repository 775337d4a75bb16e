"""Whether the offline engine can do what the agent was told. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from control_plane.building.agents.publishing.finding import Finding, PublishSubject
from pipelines.playbook.coverage import coverage
from pipelines.stack import LOCAL

_LEAST_SHARE = 2 / 3
_LEAST_SENTENCES = 3
"""One or two sentences may be missed: they say too little to be counted in shares."""
_MOST_SHOWN = 10
_LONGEST_SHOWN = 200


def too_little_followed(subject: PublishSubject) -> Iterator[Finding]:
    """At most one finding: under two thirds of the agent's instructions can be followed."""
    if not any(stack.llm.primary.provider == LOCAL for stack in subject.stacks.stacks.values()):
        return
    found = coverage(subject.config)
    missed = found.not_followed
    if len(missed) < _LEAST_SENTENCES or found.share >= _LEAST_SHARE:
        return
    shown = " ".join(f"“{text[:_LONGEST_SHOWN]}”" for text in missed[:_MOST_SHOWN])
    more = f" and {len(missed) - _MOST_SHOWN} more" if len(missed) > _MOST_SHOWN else ""
    yield Finding(
        code="offline_engine_follows_too_little",
        field="system_prompt",
        message=f"Without a language model, the agent can act on {found.followed} of "
        f"{found.followed + len(missed)} instructions. It cannot follow: {shown}{more}.",
        fix="Set a provider key for a language model, write these as questions, answers and facts, "
        "or publish with accept_limited: true.",
    )
