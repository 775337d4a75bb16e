"""Fetching a page that a tenant names: what is refused, and how bytes become text."""

from __future__ import annotations

import pytest

from control_plane.building.web_pages.fetching import (
    MAX_BYTES,
    PageNotRead,
    PageUnchanged,
    Validators,
    fetch_page,
)
from outbound.policy import OutboundPolicy
from tests.stand_ins.website import WebPage, Website, redirect

LOCAL = OutboundPolicy(allowed_networks=("127.0.0.1/32",))


async def refused(pages: dict[str, WebPage], path: str = "/", deadline: float = 5.0) -> str:
    async with Website(pages).serving() as site:
        with pytest.raises(PageNotRead) as error:
            await fetch_page(site.base_url + path, LOCAL, deadline_seconds=deadline)
    return str(error.value)


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({"/": redirect("/")}, "redirects more than 3 times"),
        (
            {"/": redirect("/1"), **{f"/{i}": redirect(f"/{i + 1}") for i in range(1, 9)}},
            "redirects more than 3 times",
        ),
        ({"/": redirect("")}, "The website redirects without naming an address."),
        ({"/": redirect("http://10.0.0.1/")}, ""),
        ({"/": redirect("http://169.254.169.254/latest/meta-data")}, ""),
        ({"/": redirect("ftp://example.com/")}, "must begin with"),
        ({"/": redirect("http://[::1/")}, ""),
        ({}, "status 404"),
        ({"/": WebPage(status=500)}, "status 500"),
        ({"/": WebPage(b"%PDF", "application/pdf")}, "application/pdf"),
        ({"/": WebPage(b"\x00" * 9, "image/png")}, "image/png"),
        ({"/": WebPage(b"x" * (MAX_BYTES + 1))}, "larger than 2 megabytes"),
        ({"/": WebPage(is_endless=True)}, "larger than 2 megabytes"),
        ({"/": WebPage(b"\x1f\x8b", encoding="gzip")}, "could not be read"),
    ],
)
async def test_why_a_page_was_not_read_is_said(pages: dict[str, WebPage], reason: str) -> None:
    said = await refused(pages)
    assert said.endswith(".")
    assert reason in said


async def test_a_slow_page_is_given_up_in_time() -> None:
    assert "in time" in await refused({"/": WebPage(drips=True)}, deadline=0.3)


async def test_every_redirect_is_checked_before_it_is_followed() -> None:
    async with Website({"/": redirect("http://127.0.0.2:1/private")}).serving() as site:
        with pytest.raises(PageNotRead, match=r"127\.0\.0\.2"):
            await fetch_page(site.base_url, LOCAL)
    assert site.visited == ["/"]


@pytest.mark.parametrize("path", ["/", "/moved"])
async def test_a_page_that_is_known_is_not_sent_again(path: str) -> None:
    pages = {"/": WebPage(b"hello", etag='"1"'), "/moved": redirect("/")}
    async with Website(pages).serving() as site:
        page = await fetch_page(site.base_url + path, LOCAL)
        assert (page.text, page.validators) == ("hello", Validators(etag='"1"'))
        with pytest.raises(PageUnchanged):
            await fetch_page(site.base_url + path, LOCAL, known=page.validators)
        other = await fetch_page(site.base_url + path, LOCAL, known=Validators(etag='"0"'))
    assert other == page


@pytest.mark.parametrize("etag", ['"' + "x" * 600 + '"', '"\u00e9"'])
async def test_an_etag_that_could_not_be_sent_back_is_not_kept(etag: str) -> None:
    async with Website({"/": WebPage(b"hello", etag=etag)}).serving() as site:
        assert (await fetch_page(site.base_url, LOCAL)).validators == Validators()


async def test_not_modified_without_a_condition_is_no_page() -> None:
    assert "redirects without" in await refused({"/": WebPage(status=304)})


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ("Grüße".encode("latin-1"), "text/html; charset=iso-8859-1", "Grüße"),
        (b"<meta charset=latin-1>Gr\xfc\xdfe", "text/html", "Grüße"),
        ("Grüße".encode(), "text/html; charset=nonsense", "Grüße"),
        ("Grüße".encode(), "text/html; charset=hex", "Grüße"),
        (b"Gr\xff\xfe", "text/html; charset=utf-8", "Gr��"),
        ("Grüße".encode("utf-16"), "text/html; charset=utf-16", "Grüße"),
        ("Grüße".encode(), "text/html; charset=punycode", "Grüße"),
        ("<meta charset=idna>Grüße".encode(), "text/html", "Grüße"),
        ("Grüße".encode(), "text/html; charset=undefined", "Grüße"),
        (b"\\ud800", "text/html; charset=unicode_escape", "\\ud800"),
        ("Grü\0ße".encode(), "text/plain", "Grüße"),
    ],
)
async def test_encodings(body: bytes, content_type: str, expected: str) -> None:
    async with Website({"/": WebPage(body, content_type)}).serving() as site:
        assert expected in (await fetch_page(site.base_url, LOCAL)).text
