"""The supervised voice of one call plan."""

from __future__ import annotations

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.lineup import lineup
from pipelines.engine.channels.tts.supervised_tts import LastResort, SupervisedTTS
from pipelines.engine.shared_models import WarmModels


def supervised_tts(plan: CallPlan, models: WarmModels, actions: CallActions) -> SupervisedTTS:
    """Raises ``ProviderUnavailable`` if this process can run none of the models."""
    candidates = lineup("tts", lambda spec: spec.tts, plan, models, actions)
    return SupervisedTTS(
        candidates,
        models.settings.deadlines,
        actions.channel_reports,
        LastResort(models.recorded_words, models.local.moonshine),
        locale=plan.locale,
        pronunciations=plan.agent.advanced.pronunciations,
        rates=models.usage_rates,
    )
