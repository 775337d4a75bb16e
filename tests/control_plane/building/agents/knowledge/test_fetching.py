"""Fetching the pages of a knowledge base from websites that behave and from some that do not."""

from __future__ import annotations

import time

import pytest

from control_plane.building.agents.knowledge.fetching import AT_ONCE, fetch_pages
from control_plane.building.agents.knowledge.pages import MOST_CHARACTERS_OF_PAGE, MOST_PAGES
from control_plane.building.web_pages.fetching import MAX_BYTES
from outbound.policy import OutboundPolicy
from outbound.resolver import resolve
from tests.stand_ins.website import WebPage, Website, html, redirect

LOCAL = OutboundPolicy(allowed_networks=("127.0.0.1/32",))
MENU = html(
    "<article><h1>Menu</h1><p>Pizza Margherita is nine euros, {{ with }} basil.</p>"
    "<script>steal()</script><p>We bake until eleven at night.</p></article>"
)


async def test_a_page_s_text_is_kept_literally_and_without_markup() -> None:
    async with Website({"/menu": MENU}).serving() as site:
        [page] = await fetch_pages([f"{site.base_url}/menu"], LOCAL, resolve)
    assert page.address == f"{site.base_url}/menu"
    assert "Pizza Margherita is nine euros, {{ with }} basil." in page.text.splitlines()
    assert "steal" not in page.text
    assert (page.is_cut, page.problem) == (False, None)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (WebPage(status=404), "status 404"),
        (WebPage(b"\x00\x01" * 100, "application/octet-stream"), "application/octet-stream"),
        (WebPage(b"x" * (MAX_BYTES + 1)), "larger than 2 megabytes"),
        (WebPage(is_endless=True), "larger than 2 megabytes"),
        (redirect("http://10.0.0.1/"), "10.0.0.1"),
        (redirect("http://169.254.169.254/latest/meta-data"), "169.254.169.254"),
        (redirect("ftp://example.com/menu"), "must begin with"),
        (html(""), "contains no text"),
        (WebPage(b"<" * 10_000), "contains no text"),
    ],
)
async def test_a_page_that_cannot_be_read_says_why_and_leaves_the_others_alone(
    page: WebPage, reason: str
) -> None:
    async with Website({"/bad": page, "/menu": MENU}).serving() as site:
        bad, good = await fetch_pages(
            [f"{site.base_url}/bad", f"{site.base_url}/menu"], LOCAL, resolve
        )
    assert bad.text == ""
    assert bad.problem is not None
    assert reason in bad.problem
    assert "basil" in good.text


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"Gr\xfc\xdfe", "text/plain; charset=iso-8859-1", "Grüße"),
        (b"Gr\xfc\xdfe", "text/plain; charset=utf-8", "Gr��e"),
        (b"Gr\xc3\xbc\xc3\x9fe", "text/plain; charset=nonsense", "Grüße"),
        (b"one\x00\x1b[2Jtwo", "text/plain", "one[2Jtwo"),
        ("a\u202eb\U000e0041c".encode(), "text/plain; charset=utf-8", "abc"),
        (b"+2AA-x", "text/plain; charset=utf-7", "+2AA-x"),
        (b"\x00\xd8x\x00", "text/plain; charset=utf-16", "\ufffdx"),
        (b"  one \r\n\r\n\n two\t three ", "text/plain", "one\ntwo three"),
    ],
)
async def test_only_visible_characters_are_kept(
    body: bytes, content_type: str, expected: str
) -> None:
    async with Website({"/": WebPage(body, content_type)}).serving() as site:
        [page] = await fetch_pages([site.base_url], LOCAL, resolve)
    assert page.text == expected


async def test_a_long_page_is_cut() -> None:
    words = " ".join(f"Sentence {number} says something." for number in range(5_000))
    async with Website({"/": WebPage(words.encode(), "text/plain")}).serving() as site:
        [page] = await fetch_pages([site.base_url], LOCAL, resolve)
    assert page.is_cut
    assert 0.9 * MOST_CHARACTERS_OF_PAGE < len(page.text) <= MOST_CHARACTERS_OF_PAGE
    assert page.text.endswith("something.")


async def test_a_page_of_very_many_tags_is_cut_and_says_so() -> None:
    words = "We bake until eleven at night. " * 4
    body = f"<article><p>{words}</p>{'<i></i>' * 2_100}<p>Pets are welcome.</p></article>"
    async with Website({"/": html(body)}).serving() as site:
        [page] = await fetch_pages([site.base_url], LOCAL, resolve)
    assert page.is_cut
    assert "Pets" not in page.text


async def test_slow_pages_cost_their_deadline_and_not_their_number() -> None:
    pages = {f"/{number}": WebPage(drips=True) for number in range(MOST_PAGES)} | {"/menu": MENU}
    async with Website(pages).serving() as site:
        slow = [f"{site.base_url}/{number}" for number in range(MOST_PAGES)]
        began = time.monotonic()
        found = await fetch_pages(
            slow, LOCAL, resolve, deadline_seconds=0.6, page_deadline_seconds=0.4
        )
        assert time.monotonic() - began < 3
        assert {page.problem for page in found} == {"The website did not answer in time."}
        first, *_, good = await fetch_pages(
            [*slow[:AT_ONCE], f"{site.base_url}/menu"], LOCAL, resolve, page_deadline_seconds=0.4
        )
    assert (first.text, "basil" in good.text) == ("", True)


@pytest.mark.parametrize("at_once", [1, 2, AT_ONCE])
async def test_only_so_many_pages_are_fetched_at_once(at_once: int) -> None:
    pages = {f"/{n}": WebPage(b"A fact.", "text/plain", delay_seconds=0.05) for n in range(9)}
    async with Website(pages).serving() as site:
        urls = [site.base_url + path for path in pages]
        found = await fetch_pages(urls, LOCAL, resolve, at_once=at_once)
    assert {page.text for page in found} == {"A fact."}
    assert site.most_at_once <= at_once


async def test_a_private_address_is_asked_nothing() -> None:
    async with Website({"/menu": MENU}).serving() as site:
        [page] = await fetch_pages([f"{site.base_url}/menu"], OutboundPolicy(), resolve)
    assert page.problem is not None
    assert "loopback" in page.problem
    assert site.visited == []
