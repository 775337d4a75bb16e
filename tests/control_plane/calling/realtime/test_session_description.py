from __future__ import annotations

import pytest

from contracts.ice_servers import IceServer
from control_plane.calling.realtime.session_description import NotSdp, check_offer, ice_server_links

OFFER = "\r\n".join(
    [
        "v=0",
        "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
        "s=-",
        "t=0 0",
        "a=group:BUNDLE 0",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "c=IN IP4 0.0.0.0",
        "a=mid:0",
        "a=rtpmap:111 opus/48000/2",
        "",
    ]
)


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_a_browsers_offer_passes(newline: str) -> None:
    check_offer(OFFER.replace("\r\n", newline))


def test_an_empty_session_name_passes() -> None:
    check_offer(OFFER.replace("s=-", "s= "))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "v=0"),
        ("\r\n\r\n", "v=0"),
        ("hello", "v=0"),
        ('{"sdp": "v=0"}', "v=0"),
        ("v=0\r\nhello\r\n", "Line 2"),
        ("v=0\r\n\r\nm=audio 9 RTP/AVP 0\r\n", "Line 2"),
        ("v=0\r\nm=audio 9 RTP/AVP 0\r\n", "origin"),
        ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nm=video 9 RTP/AVP 96\r\n", "audio"),
        ("v=0\x00\r\n", "v=0"),
    ],
)
def test_what_is_not_an_audio_offer_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(NotSdp, match=complaint):
        check_offer(text)


def test_ice_servers_become_link_headers() -> None:
    assert ice_server_links(()) == []
    servers = (
        IceServer(urls=("stun:stun.example.net",)),
        IceServer(urls=("turn:turn.example.net",), username="1:ada", credential='s"e\\'),
    )
    assert ice_server_links(servers) == [
        '<stun:stun.example.net>; rel="ice-server"',
        '<turn:turn.example.net>; rel="ice-server"; username="1:ada"; credential="s\\"e\\\\"; '
        'credential-type="password"',
    ]
