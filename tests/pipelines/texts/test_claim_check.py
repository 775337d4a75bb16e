from __future__ import annotations

import pytest

from pipelines.texts.claims.check import ClaimCheck
from pipelines.texts.claims.prohibited import ProhibitedClaims

INSTEAD = "I cannot promise that."


def checked(text: str, claims: str | None, size: int) -> tuple[str, list[str]]:
    """What is said of ``text``, which comes in pieces of ``size``, and the claims in it."""
    found: list[str] = []
    check = ClaimCheck(ProhibitedClaims(claims), INSTEAD, found.append)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    said = [part for piece in pieces for part in check.take(piece)]
    return "".join([*said, *check.rest()]), found


@pytest.mark.parametrize("size", [1, 7, 1_000])
class TestSentences:
    def test_only_the_sentence_with_the_claim_is_replaced(self, size: int) -> None:
        text = "Our plan is good. It has guaranteed results! Shall I book it?"
        said, found = checked(text, "guaranteed results", size)
        assert said == f"Our plan is good. {INSTEAD} Shall I book it?"
        assert found == ["guaranteed results"]

    def test_the_last_sentence_is_checked_too(self, size: int) -> None:
        assert checked("It is risk-free", "risk-free", size)[0].strip() == INSTEAD

    def test_nothing_is_repeated(self, size: int) -> None:
        said, found = checked("It is risk-free. Really risk-free. Yes.", "risk-free", size)
        assert said == f"{INSTEAD} Yes."
        assert found == ["risk-free", "risk-free"]

    @pytest.mark.parametrize(
        "claim", ["3.5 percent", "example.com", "No. 1 in town", "Dr. Best cures everybody"]
    )
    def test_a_full_stop_within_a_claim_ends_no_sentence(self, size: int, claim: str) -> None:
        text = f"You know us. We say: {claim.upper()} today. Is that a no. Or not?"
        said, found = checked(text, claim, size)
        assert said == f"You know us. {INSTEAD} Is that a no. Or not?"
        assert found == [claim]

    @pytest.mark.parametrize("end", ["؟", "۔", "।"])
    def test_sentences_of_other_scripts_end_too(self, size: int, end: str) -> None:
        said, found = checked(f"ہم کھلے ہیں{end} مفت علاج{end} آئیے{end}", "مفت علاج", size)
        assert said == f"ہم کھلے ہیں{end} {INSTEAD}  آئیے{end}"
        assert found == ["مفت علاج"]

    @pytest.mark.parametrize("claims", [None, "cheapest"])
    def test_everything_else_is_said_to_the_letter(self, size: int, claims: str | None) -> None:
        text = "3.5 % of it, e.g. on Mondays…  こんにちは。 Fine" + " and so on" * 100
        assert checked(text, claims, size) == (text, [])

    @pytest.mark.parametrize("before", [0, 390, 395, 399, 400, 410, 900])
    def test_a_claim_in_a_sentence_without_an_end_is_not_said(self, size: int, before: int) -> None:
        text = ("so " * 400)[:before] + " it is entirely free of any risk " + "and so on " * 80
        said, found = checked(text, "entirely free of any risk", size)
        assert "free of any risk" not in said
        assert found == ["entirely free of any risk"]


def test_without_claims_nothing_waits_for_the_end_of_a_sentence() -> None:
    check = ClaimCheck(ProhibitedClaims(None), INSTEAD, lambda _: None)
    assert list(check.take("Well,")) == ["Well,"]
