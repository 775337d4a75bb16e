"""The blockers of publishing: an agent that has one could not hold a call. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.call_plan import MAX_AGENTS, Channel
from control_plane.building.agents.publishing.finding import Finding, PublishSubject
from control_plane.building.agents.publishing.handoff_targets import handoffs_of
from control_plane.building.agents.publishing.offline_coverage import too_little_followed
from control_plane.building.agents.tenant_addresses import CUSTOM_URLS
from pipelines.stack.custom_endpoints import (
    CUSTOM_URL_FIELDS,
    custom_scheme,
    has_fitting_scheme,
)
from pipelines.texts.agent_texts import template_faults


def gates(subject: PublishSubject) -> Iterator[Finding]:
    for gate in (_name, _languages, _custom_endpoints, _templates, _raw_prompt, _handoffs):
        yield from gate(subject)
    if not subject.accepts_limited:
        yield from too_little_followed(subject)


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
            fix=f"Follow that advice, or remove {locale} from the agent's languages.",
        )


def _custom_endpoints(subject: PublishSubject) -> Iterator[Finding]:
    """An agent keeps its endpoints when its tenant moves to a lower tier. And it can be saved with
    an address of either scheme, whatever its format needs (API spec, "Agent")."""
    for name in CUSTOM_URLS:
        if getattr(subject.config, name) is not None and subject.tier != "enterprise":
            yield Finding(
                code="tier_required",
                field=name,
                message=f"{name} needs the enterprise tier, but this account's is {subject.tier}.",
                fix="Set it to null, or ask for that tier.",
            )
    if subject.config.agent_kind == "managed":
        return  # Its SKU decides.
    for channel, name in CUSTOM_URL_FIELDS.items():
        if not has_fitting_scheme(subject.config, channel):
            yield _wrong_scheme(subject, channel, name)


def _wrong_scheme(subject: PublishSubject, channel: Channel, name: str) -> Finding:
    scheme = custom_scheme(subject.config, channel)
    if channel != "tts":
        kind = "language model" if channel == "llm" else "transcriber"
        return Finding(
            code="scheme_not_supported",
            field=name,
            message=f"{name} must begin with {scheme}://, because a {kind} is asked over that.",
            fix=f"Give its {scheme}:// address, or set it to null.",
        )
    mode = subject.config.custom_voice_mode
    other = "svc" if mode == "compat" else "compat"
    return Finding(
        code="scheme_not_supported",
        field=name,
        message=f"{name} must begin with {scheme}://, because custom_voice_mode is {mode}.",
        fix=f"Give its {scheme}:// address, or set custom_voice_mode to {other}.",
    )


def _templates(subject: PublishSubject) -> Iterator[Finding]:
    for fault in template_faults(subject.config):
        yield Finding(
            code="template_broken",
            field=fault.field,
            message=f"Line {fault.line} of {fault.field} {fault.message}.".replace("..", "."),
            fix="Correct the tag. If the braces are meant literally, put the text between "
            "{% raw %} and {% endraw %}.",
        )


def _handoffs(subject: PublishSubject) -> Iterator[Finding]:
    for index, tool in handoffs_of(subject.config):
        if tool.agent_id in subject.handoffs.missing:
            yield Finding(
                code="handoff_target_missing",
                field=f"tools[{index}].agent_id",
                message=f"The tool {tool.name} hands over to an agent that is not one of yours, or "
                "was deleted.",
                fix="Choose another agent, or remove the tool.",
            )
    if subject.handoffs.too_many:
        yield Finding(
            code="handoffs_too_many",
            field="tools",
            message=f"More than {MAX_AGENTS} agents could talk in one call: this one, those that "
            "it hands over to, and those that they hand over to.",
            fix="Remove handoff tools here or from the agents that they lead to.",
        )


def _raw_prompt(subject: PublishSubject) -> Iterator[Finding]:
    config = subject.config
    if config.advanced.prompt_mode == "raw" and not (config.system_prompt or "").strip():
        yield Finding(
            code="prompt_missing",
            field="system_prompt",
            message="advanced.prompt_mode is raw, but system_prompt is empty.",
            fix="Write a system_prompt, or set advanced.prompt_mode to builder.",
        )
