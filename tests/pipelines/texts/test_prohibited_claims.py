from __future__ import annotations

import pytest

from pipelines.texts.claims.prohibited import ProhibitedClaims

CLAIMS = ProhibitedClaims("guaranteed results, we're the cheapest; 'risk-free'\nno, ...")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You get guaranteed results.", ("guaranteed results",)),
        ("Guaranteed\n  RESULTS!", ("guaranteed results",)),
        ("It is **risk free**, and we’re the cheapest.", ("we're the cheapest", "risk-free")),
        ("Results are not guaranteed.", ()),
        ("We are unguaranteed resultsmen.", ()),
        ("No.", ()),
        ("", ()),
    ],
)
def test_claims_are_found_word_for_word(text: str, said: tuple[str, ...]) -> None:
    assert CLAIMS.said_in(text) == said


@pytest.mark.parametrize("text", [None, "", " , ;\n", "...", "no"])
def test_without_claims_nothing_is_found(text: str | None) -> None:
    claims = ProhibitedClaims(text)
    assert not claims
    assert claims.longest == 0
    assert claims.said_in("no ... no") == ()


def test_the_first_hundred_count() -> None:
    claims = ProhibitedClaims(",".join(f"claim {number}" for number in range(200)))
    assert claims.said_in("claim 99") == ("claim 99",)
    assert claims.said_in("claim 100") == ()
