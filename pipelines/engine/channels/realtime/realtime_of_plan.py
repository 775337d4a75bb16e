"""The supervised realtime model of one call plan."""

from __future__ import annotations

from livekit.agents import llm

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.candidates import Candidate
from pipelines.engine.channels.lineup import breaker_of
from pipelines.engine.channels.realtime.supervised_realtime import Hear, SupervisedRealtime
from pipelines.engine.channels.reports import ChannelSwitch
from pipelines.engine.providers.registry import provider_named
from pipelines.engine.providers.spec import ModelRequest, ProviderUnavailable
from pipelines.engine.shared_models import WarmModels


def supervised_realtime(
    plan: CallPlan, models: WarmModels, actions: CallActions, hear: Hear
) -> SupervisedRealtime | None:
    """``None`` if the plan has none, or if it cannot be used now, which is reported: then the
    pipeline of the plan serves the call."""
    if plan.stack.mode != "realtime":
        return None
    choice = plan.stack.tts.primary
    candidate = _candidate(plan, models, actions)
    why = "it failed in another call a moment ago"
    if candidate.breaker is None or candidate.breaker.may_try():
        try:
            model = candidate.built()
            return SupervisedRealtime(candidate, model, models.settings.deadlines, hear)
        except ProviderUnavailable as error:
            why = str(error)
    actions.channel_reports.switched(
        ChannelSwitch(
            channel="realtime",
            failed=f"{choice.provider}/{choice.model}",
            taken_over_by=pipeline_name(plan),
            why=why,
            lost_ms=0,
            was_asked=False,
        )
    )
    return None


def pipeline_name(plan: CallPlan) -> str:
    """The models of the plan's pipeline, for example ``deepgram/nova-3, openai/gpt-4o, …``."""
    stack = plan.stack.without_realtime
    choices = [channel.primary for channel in (stack.stt, stack.llm, stack.tts)]
    return ", ".join(f"{choice.provider}/{choice.model}" for choice in choices)


def _candidate(
    plan: CallPlan, models: WarmModels, actions: CallActions
) -> Candidate[llm.RealtimeModel]:
    choice = plan.stack.tts.primary

    def build() -> llm.RealtimeModel:
        make = provider_named(choice.provider).realtime
        if make is None:
            raise ProviderUnavailable(f"provider {choice.provider} has no realtime models")
        model: llm.RealtimeModel = make(ModelRequest(choice, plan, models, actions))
        return model

    return Candidate(choice, build, breaker_of("llm", choice, plan, models.breakers))
