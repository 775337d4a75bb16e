from __future__ import annotations

from typing import get_args

import pytest

from contracts.call_plan import Channel
from pipelines.engine.providers.registry import PROVIDERS, available_providers, provider_named
from pipelines.engine.providers.spec import ProviderSpec, ProviderUnavailable
from pipelines.settings import VENDOR_BASE_URLS, ProviderSettings
from pipelines.stack.worker_capabilities import REALTIME_PROVIDERS, RUNNABLE_CHANNELS

EVERY_KEY = ProviderSettings(
    api_keys=dict.fromkeys(VENDOR_BASE_URLS, "hush"),
    base_urls={"openai_compatible": "http://127.0.0.1:11434/v1"},
)


@pytest.mark.parametrize("spec", PROVIDERS, ids=lambda spec: spec.name)
class TestEveryRegisteredProvider:
    def test_serves_the_channels_that_are_promised_of_it(self, spec: ProviderSpec) -> None:
        served = {channel for channel in get_args(Channel) if getattr(spec, channel) is not None}
        assert RUNNABLE_CHANNELS[spec.name] == served != set()

    def test_has_realtime_models_if_that_is_promised(self, spec: ProviderSpec) -> None:
        assert (spec.name in REALTIME_PROVIDERS) == (spec.realtime is not None)

    def test_is_found_by_its_name(self, spec: ProviderSpec) -> None:
        assert provider_named(spec.name) is spec

    def test_has_an_address_if_it_needs_a_key(self, spec: ProviderSpec) -> None:
        assert spec.needs_key == (spec.name in VENDOR_BASE_URLS)

    def test_knows_from_settings_alone_whether_it_is_available(self, spec: ProviderSpec) -> None:
        assert spec.is_available(EVERY_KEY) is not spec.is_of_tenants
        needs_nothing = not (spec.needs_key or spec.needs_address or spec.is_of_tenants)
        assert spec.is_available(ProviderSettings()) is needs_nothing


def test_without_keys_only_the_local_provider_is_available() -> None:
    assert available_providers(ProviderSettings()) == {"local"}


def test_an_empty_key_is_no_key() -> None:
    assert available_providers(ProviderSettings(api_keys={"openai": ""})) == {"local"}


def test_nothing_is_promised_of_others() -> None:
    assert set(RUNNABLE_CHANNELS) == {spec.name for spec in PROVIDERS}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ProviderUnavailable, match="acme"):
        provider_named("acme")


def test_keys_do_not_show_in_a_settings_object_s_text() -> None:
    assert "hush" not in repr(EVERY_KEY.model_copy(update={"encryption_keys": ("hush",)}))


def test_an_address_that_is_set_replaces_the_vendor_s_own() -> None:
    settings = ProviderSettings(base_urls={"openai": "http://127.0.0.1:1/v1/"})
    assert settings.base_url("openai") == "http://127.0.0.1:1/v1"
    assert settings.base_url("deepgram") == "https://api.deepgram.com/v1"
