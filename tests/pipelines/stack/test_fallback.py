from __future__ import annotations

import pytest

from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.stack import AvailableKeys
from tests.pipelines.stack.catalogue import EVERY_KEY, OFFLINE, PLATFORM, agent, choice, resolved


def models(channel: ResolvedChannel) -> tuple[str, str | None]:
    return channel.primary.model, channel.fallback.model if channel.fallback else None


ANY = {f"{channel}_fallback_provider": "none-such" for channel in ("stt", "llm", "tts")}
"""A wish that nothing fulfils, so that another model takes its place."""


class TestWithoutAWish:
    def test_there_is_no_fallback(self) -> None:
        stack = resolved(agent(), EVERY_KEY)
        assert models(stack.stt) == ("nova-3", None)
        assert models(stack.llm) == ("gpt-4o-mini", None)
        assert stack.tts.fallback is None

    def test_null_switches_a_fallback_off(self) -> None:
        wished = {"llm_fallback_provider": "local", "llm_fallback_model": "playbook"}
        assert models(resolved(agent(**wished), EVERY_KEY).llm)[1] == "playbook"
        off = resolved(agent(**dict.fromkeys(wished)), EVERY_KEY)
        assert models(off.llm) == ("gpt-4o-mini", None)


class TestWhateverIsBest:
    def test_another_provider_stands_by(self) -> None:
        stack = resolved(agent(**ANY), EVERY_KEY)
        assert models(stack.stt) == ("nova-3", "chirp")
        assert models(stack.llm) == ("gpt-4o-mini", "claude")

    def test_the_offline_models_are_the_last_of_the_others(self) -> None:
        assert models(resolved(agent(**ANY)).llm) == ("gpt-4o-mini", "playbook")

    def test_the_primarys_own_provider_comes_after_them(self) -> None:
        found = resolved(agent(**ANY, voice="celeste"), locale="es-ES")
        assert models(found.stt) == ("nova-3", "nova-2")

    def test_nothing_stands_by_where_there_is_nothing_else(self) -> None:
        assert models(resolved(agent(**ANY), OFFLINE).llm) == ("playbook", None)


class TestAWish:
    def test_is_kept(self) -> None:
        found = choice(agent(llm_fallback_provider="local"), EVERY_KEY)
        assert found.stack.llm.fallback == ProviderChoice(provider="local", model="playbook")
        assert found.warnings == ()

    def test_of_the_primarys_provider_takes_its_next_model(self) -> None:
        found = choice(agent(llm_provider="openai", llm_fallback_provider="openai"), EVERY_KEY)
        assert models(found.stack.llm) == ("gpt-4o-mini", "gpt-4o")

    @pytest.mark.parametrize(
        ("fields", "keys", "locale", "instead", "said"),
        [
            (
                {"stt_fallback_model": "nova-9"},
                PLATFORM,
                "en-US",
                "moonshine-tiny-en",
                "The fallback nova-9 is not used; local/moonshine-tiny-en is used instead. The "
                "catalogue has no such speech-to-text model.",
            ),
            (
                {"stt_fallback_provider": "local"},
                PLATFORM,
                "fr-FR",
                "nova-2",
                "The fallback local is not used; deepgram/nova-2 is used instead. The "
                "speech-to-text model local/moonshine-tiny-en does not cover fr-FR: choose another "
                "model or leave that language out.",
            ),
            (
                {"stt_fallback_provider": "google"},
                AvailableKeys(frozenset({"local", "openai"})),
                "en-US",
                None,
                "The fallback google is not used; there is no fallback. The speech-to-text "
                "provider google has no key here: set a provider key for google or choose another "
                "provider.",
            ),
            (
                {"stt_provider": "deepgram", "stt_fallback_model": "nova-3"},
                PLATFORM,
                "en-US",
                "moonshine-tiny-en",
                "The fallback nova-3 is not used; local/moonshine-tiny-en is used instead. It is "
                "the primary itself: choose another model.",
            ),
        ],
    )
    def test_that_cannot_be_met_is_replaced_with_a_warning(
        self,
        fields: dict[str, object],
        keys: AvailableKeys,
        locale: str,
        instead: str | None,
        said: str,
    ) -> None:
        found = choice(agent(**fields), keys, locale)
        assert models(found.stack.stt)[1] == instead
        assert said in found.warnings


class TestOnTheTenantsOwnKey:
    """Its channel costs $0, so nothing that the platform pays for may stand by for it."""

    KEYS = AvailableKeys(EVERY_KEY.platform, own=frozenset({"openai"}))

    def test_only_own_keys_and_the_offline_models_stand_by(self) -> None:
        found = resolved(agent(**ANY), self.KEYS)
        assert found.llm.primary.key_source == "own"
        assert models(found.llm) == ("gpt-4o-mini", "playbook")

    def test_another_own_key_comes_first(self) -> None:
        keys = AvailableKeys(EVERY_KEY.platform, own=frozenset({"openai", "anthropic"}))
        assert models(resolved(agent(**ANY), keys).llm) == ("gpt-4o-mini", "claude")

    def test_a_wish_for_the_platforms_key_is_refused_with_the_way_out(self) -> None:
        found = choice(agent(llm_fallback_provider="anthropic"), self.KEYS)
        assert models(found.stack.llm) == ("gpt-4o-mini", "playbook")
        assert found.warnings == (
            "The fallback anthropic is not used; local/playbook is used instead. It would run on "
            "the platform's key, while the channel runs on your own: set a provider key for "
            "anthropic, too.",
        )
