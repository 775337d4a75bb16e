from __future__ import annotations

from pipelines.texts.claims.prohibited import ProhibitedClaims
from pipelines.texts.claims.watch import ClaimWatch

CLAIMS = ProhibitedClaims("guaranteed results, free of charge")


def found(*pieces: str, claims: ProhibitedClaims = CLAIMS) -> list[str | None]:
    watch = ClaimWatch(claims)
    return [*(watch.take(piece) for piece in pieces), watch.rest()]


def test_a_claim_is_found_with_the_piece_that_completes_it() -> None:
    pieces = ("It has guar", "anteed", " results", ", of course.")
    assert found(*pieces)[:4] == [None, None, None, "guaranteed results"]


def test_a_longer_word_is_no_claim() -> None:
    assert found("It is free of charge", "s and fees.") == [None, None, None]


def test_a_claim_may_be_the_last_words() -> None:
    assert found("It is free of charge") == [None, "free of charge"]


def test_a_long_speech_is_watched_to_its_end() -> None:
    pieces = ["and so on "] * 200
    assert found(*pieces, "with guaranteed results.")[-2] == "guaranteed results"


def test_without_claims_everything_may_be_said() -> None:
    assert found("guaranteed results.", claims=ProhibitedClaims(None)) == [None, None]


def test_where_no_spaces_are_written_a_claim_is_found_with_its_last_character() -> None:
    claims = ProhibitedClaims("保证治愈")
    assert found("我们保证", "治愈", "您的病。", claims=claims)[:2] == [None, "保证治愈"]


def test_a_vowel_sign_ends_no_claim() -> None:
    claims = ProhibitedClaims("ताजा")
    assert found("यह ताजा", "पन है।", claims=claims) == [None, None, None]
