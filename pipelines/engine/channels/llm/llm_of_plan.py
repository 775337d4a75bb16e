"""The supervised language model of one call plan."""

from __future__ import annotations

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.lineup import lineup
from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM
from pipelines.engine.shared_models import WarmModels
from pipelines.texts.phrases import say_again


def supervised_llm(plan: CallPlan, models: WarmModels, actions: CallActions) -> SupervisedLLM:
    """Raises ``ProviderUnavailable`` if this process can run none of the models."""
    candidates = lineup("llm", lambda spec: spec.llm, plan, models, actions)
    return SupervisedLLM(
        candidates,
        models.settings.deadlines,
        actions.channel_reports,
        say_again=say_again(plan),
        rates=models.usage_rates,
    )
