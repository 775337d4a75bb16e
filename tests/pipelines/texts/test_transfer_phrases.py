"""What agents say around a transfer."""

from __future__ import annotations

import pytest

from pipelines.texts import phrases, transfer_phrases


def test_transfers_know_the_languages_of_the_other_phrases() -> None:
    assert set(transfer_phrases.languages()) == set(phrases.languages())


@pytest.mark.parametrize("locale", transfer_phrases.languages())
def test_the_summary_stands_between_the_platforms_own_sentences(locale: str) -> None:
    said = transfer_phrases.briefing(locale, "SUMMARY")
    before, after = said.split("SUMMARY")
    assert before.strip()
    assert after.strip()
    assert transfer_phrases.unreached(locale)


def test_nothing_known_leaves_no_gap() -> None:
    assert "  " not in transfer_phrases.briefing("en-US", "")
