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


@pytest.mark.parametrize(
    ("claims", "text", "said"),
    [
        ("保证治愈，免费", "我们的医生保证治愈您的病。", ("保证治愈",)),
        ("保证治愈，免费", "第一次是免费的。", ("免费",)),
        ("完全無料、必ず治る", "初回は完全無料でございます。", ("完全無料",)),
        ("รับประกันผล", "เรารับประกันผลภายในหนึ่งเดือน", ("รับประกันผล",)),
        ("환불 보장", "저희는 환불 보장을 합니다.", ("환불 보장",)),
        ("보장", "결과를 보장합니다.", ("보장",)),
        ("गारंटी", "हम पूरी गारंटी देते हैं।", ("गारंटी",)),
        ("दाम", "मेरे दामाद का दिमाग बंद मत समझिए।", ()),
        ("risk-free", "这是risk-free的。", ("risk-free",)),
        ("免", "免费", ()),
    ],
)
def test_claims_are_found_in_every_script(claims: str, text: str, said: tuple[str, ...]) -> None:
    assert ProhibitedClaims(claims).said_in(text) == said
