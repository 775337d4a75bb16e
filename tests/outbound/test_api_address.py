from __future__ import annotations

import httpx2
import pytest

from outbound.api_address import ApiAddress, api_address

PATH = "/chat/completions"


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("https://a.example", "https://a.example"),
        ("https://a.example/", "https://a.example"),
        ("https://a.example/v1", "https://a.example/v1"),
        ("https://a.example/v1/", "https://a.example/v1"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1"),
        ("https://a.example/v1/chat/completions/", "https://a.example/v1"),
        ("https://a.example:8443/s3cret/v1#part", "https://a.example:8443/s3cret/v1"),
    ],
)
def test_the_root_and_the_whole_address_mean_the_same(url: str, root: str) -> None:
    assert api_address(url, PATH) == ApiAddress(httpx2.URL(root), None)


def test_a_query_is_kept_for_each_request() -> None:
    address = api_address("https://a.example/v1?key=a%26b&key=c&empty=", PATH)
    assert address == ApiAddress(httpx2.URL("https://a.example/v1"), b"key=a%26b&key=c&empty=")
