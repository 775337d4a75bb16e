"""What stands in the way of publishing an agent: calls could not be held. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from control_plane.building.agents.publishing.finding import Finding, PublishSubject
from control_plane.building.agents.tenant_addresses import CUSTOM_URLS
from pipelines.texts.agent_texts import template_faults


def gates(subject: PublishSubject) -> Iterator[Finding]:
    for gate in (_name, _languages, _custom_endpoints, _templates, _raw_prompt):
        yield from gate(subject)


def _name(subject: PublishSubject) -> Iterator[Finding]:
    if not subject.is_named:
        yield Finding(
            code="name_missing",
            field="name",
            message="The agent has no name.",
            fix="Send a name.",
        )


def _languages(subject: PublishSubject) -> Iterator[Finding]:
    for locale, problem in subject.stacks.problems.items():
        yield Finding(
            code="language_not_served",
            field=problem.field,
            message=f"{locale} cannot be served: {problem.reason}",
            fix=f"Do so, or take {locale} out of the agent's languages.",
        )


def _custom_endpoints(subject: PublishSubject) -> Iterator[Finding]:
    """An agent keeps its endpoints when its tenant leaves the tier that they belong to."""
    for name in CUSTOM_URLS:
        if getattr(subject.config, name) is not None and subject.tier != "enterprise":
            yield Finding(
                code="tier_required",
                field=name,
                message=f"{name} is for the enterprise tier; this account is on {subject.tier}.",
                fix="Clear it with null, or ask for that tier.",
            )


def _templates(subject: PublishSubject) -> Iterator[Finding]:
    for fault in template_faults(subject.config):
        yield Finding(
            code="template_broken",
            field=fault.field,
            message=f"Line {fault.line} of {fault.field} {fault.message}.".replace("..", "."),
            fix="Mend the tag, or put the text between {% raw %} and {% endraw %} if the braces "
            "are meant as they are.",
        )


def _raw_prompt(subject: PublishSubject) -> Iterator[Finding]:
    config = subject.config
    if config.advanced.prompt_mode == "raw" and not (config.system_prompt or "").strip():
        yield Finding(
            code="prompt_missing",
            field="system_prompt",
            message="advanced.prompt_mode is raw, but there is no prompt to use verbatim.",
            fix="Write a system_prompt, or set advanced.prompt_mode to builder.",
        )
