import contextlib

import pytest

from runtime.media.network.remote_candidates import MOST_CANDIDATES, RemoteAddresses
from runtime.media.network.sdp_offer import MOST_CHARACTERS, read_offer
from runtime.media.room import BadOffer

SESSION = """v=0
o=- 1 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE {mids}
"""
TRANSPORT = """c=IN IP4 0.0.0.0
a=ice-ufrag:abcd
a=ice-pwd:0123456789012345678901
a=fingerprint:sha-256 AB:CD
a=setup:actpass
"""
AUDIO = f"""m=audio 9 UDP/TLS/RTP/SAVPF 111
{TRANSPORT}a=mid:0
a=sendrecv
a=rtcp-mux
a=rtpmap:111 opus/48000/2
a=candidate:1 1 udp 2122260223 192.0.2.9 50000 typ host
"""
VIDEO = f"""m=video 9 UDP/TLS/RTP/SAVPF 96 97
{TRANSPORT}a=mid:1
a=sendrecv
a=rtcp-mux
a=rtpmap:96 AV1/90000
a=rtpmap:97 rtx/90000
"""
CHANNEL = f"""m=application 9 UDP/DTLS/SCTP webrtc-datachannel
{TRANSPORT}a=mid:2
a=sctp-port:5000
"""


def offer(*sections: str, mids: str = "0 1 2") -> str:
    return (SESSION.format(mids=mids) + "".join(sections)).replace("\n", "\r\n")


def media_lines(sdp: str) -> list[str]:
    return [line for line in sdp.splitlines() if line.startswith("m=")]


def test_audio_and_data_channel_are_kept_as_they_are() -> None:
    assert media_lines(read_offer(offer(AUDIO, CHANNEL, mids="0 2")).sdp) == [
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    ]


def test_other_sections_are_left_out_of_what_is_answered_and_of_the_bundle() -> None:
    read = read_offer(offer(VIDEO, AUDIO, CHANNEL, mids="1 0 2"))
    assert len(media_lines(read.sdp)) == 2
    assert "a=group:BUNDLE 0 2" in read.sdp.splitlines()


def test_the_whole_answer_rejects_them_at_their_place() -> None:
    read = read_offer(offer(VIDEO, AUDIO, AUDIO.replace("mid:0", "mid:3"), CHANNEL, mids="1 0 3 2"))
    answer = read.complete(
        "v=0\r\nm=audio 5 X 111\r\na=mid:0\r\nm=application 5 Y webrtc-datachannel\r\na=mid:2\r\n"
    )
    assert answer.splitlines() == [
        "v=0",
        "m=video 0 UDP/TLS/RTP/SAVPF 96",
        "c=IN IP4 0.0.0.0",
        "a=mid:1",
        "a=inactive",
        "m=audio 5 X 111",
        "a=mid:0",
        "m=audio 0 UDP/TLS/RTP/SAVPF 111",
        "c=IN IP4 0.0.0.0",
        "a=mid:3",
        "a=inactive",
        "m=application 5 Y webrtc-datachannel",
        "a=mid:2",
    ]


def test_a_data_channel_on_a_transport_of_its_own_is_rejected() -> None:
    assert len(media_lines(read_offer(offer(AUDIO, CHANNEL, mids="0")).sdp)) == 1


def test_names_in_place_of_addresses_are_left_out() -> None:
    named = "a=candidate:2 1 udp 2122260222 6f0a.local 50001 typ host\n"
    sdp = read_offer(offer(AUDIO + named + "a=end-of-candidates\n")).sdp
    assert ".local" not in sdp
    assert "192.0.2.9" in sdp
    assert "a=end-of-candidates" in sdp


def test_without_any_address_more_candidates_are_expected() -> None:
    named = AUDIO.replace("192.0.2.9", "6f0a.local") + "a=end-of-candidates\n"
    sdp = read_offer(offer(named)).sdp
    assert "a=candidate" not in sdp
    assert "a=end-of-candidates" not in sdp


def test_unix_line_ends_are_read_too() -> None:
    assert read_offer(offer(AUDIO).replace("\r\n", "\n")).sdp == read_offer(offer(AUDIO)).sdp


def candidates(sdp: str) -> list[list[str]]:
    """The addresses of each section's candidates."""
    sections = sdp.split("m=")[1:]
    return [
        [line.split()[4] for line in section.splitlines() if line.startswith("a=candidate:")]
        for section in sections
    ]


NO_CANDIDATES = "a=candidate:1 1 udp 2122260223 192.0.2.9 50000 typ host\n"
THREE = "".join(f"a=candidate:{n} 1 udp 2122260223 192.0.2.{n} 50000 typ host\n" for n in (1, 2, 3))


def test_the_candidates_of_a_bundle_are_those_of_each_section() -> None:
    sdp = read_offer(offer(AUDIO, CHANNEL, mids="0 2")).sdp
    assert candidates(sdp) == [["192.0.2.9"]] * 2


@pytest.mark.parametrize("rejected", [VIDEO, CHANNEL.replace("mid:2", "mid:1")])
def test_candidates_that_only_another_section_of_the_bundle_has_are_kept(rejected: str) -> None:
    bundled = AUDIO.replace(NO_CANDIDATES, "").replace("m=audio 9", "m=audio 0")
    sdp = read_offer(offer(rejected + THREE, bundled + "a=bundle-only\n", mids="1 0")).sdp
    assert all(each == ["192.0.2.1", "192.0.2.2", "192.0.2.3"] for each in candidates(sdp))


def test_candidates_outside_the_bundle_are_not() -> None:
    alone = AUDIO.replace(NO_CANDIDATES, "")
    assert candidates(read_offer(offer(VIDEO + THREE, alone, mids="0")).sdp) == [[]]


def test_a_section_may_leave_its_security_to_the_bundle() -> None:
    bare = CHANNEL.replace(TRANSPORT, "c=IN IP4 0.0.0.0\n")
    assert read_offer(offer(AUDIO, bare, mids="0 2")).sdp.count("a=ice-pwd:") == 2


def test_no_more_candidates_are_kept_than_browsers_have() -> None:
    many = "".join(
        f"a=candidate:1 1 udp 2122260223 198.51.100.{n} {2000 + k} typ host\n"
        for n in range(200)
        for k in range(2)
    )
    (kept,) = candidates(read_offer(offer(AUDIO + many)).sdp)
    assert len(kept) == MOST_CANDIDATES


def test_candidates_with_addresses_that_cannot_be_the_caller_s_are_left_out() -> None:
    public = "a=candidate:1 1 udp 1 8.8.8.8 50000 typ srflx\n"
    sdp = read_offer(offer(AUDIO + public), RemoteAddresses(private=False)).sdp
    assert candidates(sdp) == [["8.8.8.8"]]


@pytest.mark.parametrize(
    ("sdp", "says"),
    [
        ("", "not SDP"),
        ("hello", "not SDP"),
        ('{"type": "offer", "sdp": "v=0"}', "not SDP"),
        ("v=0\r\n" * MOST_CHARACTERS, "longer than"),
        (offer(), "has no audio"),
        (offer(VIDEO), "has no audio"),
        (offer(CHANNEL), "has no audio"),
        (offer(AUDIO.replace("sendrecv", "inactive")), "must be active"),
        (offer(AUDIO.replace("m=audio 9", "m=audio 0")), "must be active"),
        (offer(AUDIO.replace("opus", "PCMU")), "opus/48000/2"),
        (offer(AUDIO.replace("a=ice-pwd", "a=x")), "a=ice-pwd"),
        (offer(AUDIO.replace("a=fingerprint", "a=x")), "a=fingerprint"),
        (offer(AUDIO.replace("a=setup", "a=x")), "a=setup"),
        (offer(AUDIO.replace("a=rtcp-mux", "a=x")), "a=rtcp-mux"),
        (offer(AUDIO.replace("SAVPF 111", "SAVPF one")), "not valid SDP"),
        (offer(AUDIO + "a=candidate:1\n"), "not valid SDP"),
        (offer(AUDIO + "a=fmtp:99 a=b\n"), "not valid SDP"),
        (offer(AUDIO.replace("actpass", "maybe")), "not valid SDP"),
        (offer(AUDIO, "m=video\n"), "not valid SDP"),
        (offer(AUDIO + "a=mid:2\n", CHANNEL, mids="0 2"), "one `a=mid`"),
        (offer(AUDIO, CHANNEL.replace("mid:2", "mid:0"), mids="0"), "one `a=mid`"),
        (offer(AUDIO + "a=x\n" * 200), "more than 200 lines"),
        (offer(AUDIO + "a=fingerprint:sha-256 AB\n" * 300), "more than 200 lines"),
        (offer(AUDIO, CHANNEL + "a=x\n" * 200, mids="0 2"), "more than 200 lines"),
        (offer(AUDIO).replace("s=-", "s=-" + "\r\na=x" * 200), "more than 200 lines"),
        (offer(AUDIO + NO_CANDIDATES.replace("50000", "port")), "not valid SDP"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_reason(sdp: str, says: str) -> None:
    with pytest.raises(BadOffer, match=says):
        read_offer(sdp)


def test_any_line_cut_short_is_refused_or_read_but_nothing_else() -> None:
    whole = offer(VIDEO, AUDIO, CHANNEL)
    for end in range(0, len(whole), 3):
        with contextlib.suppress(BadOffer):
            read = read_offer(whole[:end])
            answer = read.complete("v=0\r\n" + "m=x 9 y z\r\n" * len(read.used))
            assert len(media_lines(answer)) == len(read.sections)
