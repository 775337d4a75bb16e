from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from control_plane.money.invoices.tax import Tax, TaxRule, share, shares, taxed

RULES = st.lists(
    st.builds(
        TaxRule,
        st.sampled_from(["VAT", "CGST", "SGST"]),
        st.decimals(0, 100, places=4),
        st.booleans(),
        st.booleans(),
    ),
    max_size=3,
    unique_by=lambda rule: rule.kind,
)


def rule(kind: str, percent: int, *, inclusive: bool = False, reverse: bool = False) -> TaxRule:
    return TaxRule(kind, Decimal(percent), inclusive, reverse)


def test_a_tax_on_top_is_added_and_one_that_a_price_contains_is_taken_out() -> None:
    on_top = taxed(2000, [rule("VAT", 19)], None)
    assert (on_top.subtotal_minor, on_top.tax_minor, on_top.total_minor) == (2000, 380, 2380)
    contained = taxed(2380, [rule("VAT", 19, inclusive=True)], None)
    assert (contained.subtotal_minor, contained.tax_minor) == (2000, 380)
    assert contained.total_minor == 2380


def test_two_taxes_of_a_country_are_shown_apart() -> None:
    found = taxed(160_000, [rule("CGST", 9), rule("SGST", 9)], None)
    assert [tax.amount_minor for tax in found.taxes] == [14_400, 14_400]
    assert found.total_minor == 188_800


def test_a_customer_with_a_tax_id_owes_a_reverse_charge_itself() -> None:
    rules = [rule("VAT", 19, reverse=True)]
    assert taxed(2000, rules, None).total_minor == 2380
    owed = taxed(2000, rules, "DE123456789")
    assert owed.total_minor == 2000
    assert owed.taxes == (Tax("VAT", Decimal(19), 0, is_reverse_charged=True),)


@given(st.integers(0, 10**9), RULES, st.sampled_from([None, "DE1"]))
def test_the_parts_always_add_up(price: int, rules: list[TaxRule], tax_id: str | None) -> None:
    found = taxed(price, rules, tax_id)
    taxes = sum(tax.amount_minor for tax in found.taxes)
    assert found.subtotal_minor + taxes == found.total_minor
    assert all(tax.amount_minor >= 0 for tax in found.taxes)
    if all(rule.is_inclusive for rule in rules):
        assert found.total_minor == price
    if not any(rule.is_inclusive for rule in rules):
        assert found.subtotal_minor == price


@given(st.integers(0, 10**12), st.lists(st.integers(0, 10**6), min_size=1, max_size=6))
def test_shares_of_parts_add_up_to_the_whole(amount: int, parts: list[int]) -> None:
    whole = sum(parts) or 1
    taken, before = 0, 0
    for part in parts:
        taken += share(amount, before + part, whole) - share(amount, before, whole)
        before += part
    assert taken == (amount if sum(parts) else 0)


@given(st.lists(st.integers(0, 10**6), max_size=4), st.integers(0, 10**6), st.integers(1, 10**6))
def test_shares_of_amounts_add_up_to_the_share_of_their_sum(
    amounts: list[int], part: int, whole: int
) -> None:
    found = shares(amounts, part, whole)
    assert sum(found) == share(sum(amounts), part, whole)
    assert all(each >= 0 for each in found)
