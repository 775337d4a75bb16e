from __future__ import annotations

import pytest

from pipelines.providers.registry import PROVIDERS, available_providers, provider_named
from pipelines.providers.spec import ProviderSpec, ProviderUnavailable
from pipelines.settings import ProviderSettings


@pytest.mark.parametrize("spec", PROVIDERS, ids=lambda spec: spec.name)
class TestEveryRegisteredProvider:
    def test_serves_at_least_one_channel(self, spec: ProviderSpec) -> None:
        assert any((spec.stt, spec.llm, spec.tts))

    def test_is_found_by_its_name(self, spec: ProviderSpec) -> None:
        assert provider_named(spec.name) is spec

    def test_knows_from_settings_alone_whether_it_is_available(self, spec: ProviderSpec) -> None:
        every_key = ProviderSettings(openai_api_key="k", deepgram_api_key="k")
        assert spec.is_available(every_key)


def test_without_keys_only_the_local_provider_is_available() -> None:
    assert available_providers(ProviderSettings()) == {"local"}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ProviderUnavailable, match="acme"):
        provider_named("acme")


def test_keys_do_not_show_in_a_settings_object_s_text() -> None:
    assert "hush" not in repr(ProviderSettings(openai_api_key="hush", deepgram_api_key="hush"))
