"""The supervised recogniser of one call plan."""

from __future__ import annotations

from collections.abc import Callable

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.lineup import lineup
from pipelines.engine.channels.stt.supervised_stt import SupervisedSTT
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.turn_handling import voice_activity


def supervised_stt(
    plan: CallPlan,
    models: WarmModels,
    actions: CallActions,
    ask_again: Callable[[], None] = lambda: None,
) -> SupervisedSTT:
    """
    Args:
        ask_again: see ``SupervisedSTT``.

    Raises ``ProviderUnavailable`` if this process can run none of the models.
    """
    candidates = lineup("stt", lambda spec: spec.stt, plan, models, actions)
    return SupervisedSTT(
        candidates,
        models.settings.deadlines,
        actions.channel_reports,
        voice_activity(plan.agent.advanced),
        ask_again=ask_again,
    )
