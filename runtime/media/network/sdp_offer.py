"""Reads a browser's offer: finds the audio and the data channel in it and rejects the rest.

aiortc fails if it cannot answer every media section. So it gets only the sections that a call uses.
The answer rejects the others with port zero, in their place (RFC 3264 section 6, RFC 8843).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from aiortc.sdp import SessionDescription

from runtime.media.network.remote_candidates import RemoteAddresses, usable_candidates
from runtime.media.room import BadOffer

MOST_CHARACTERS = 64 * 1024
MOST_LINES = 200
"""Of the session, and of a section that is answered. Browsers' audio sections have about 40."""
ANY_ADDRESS = RemoteAddresses()
_BUNDLE = "a=group:BUNDLE"
_SECURITY = ("a=ice-ufrag:", "a=ice-pwd:", "a=ice-options:", "a=fingerprint:", "a=setup:")
_CANDIDATES = ("a=candidate:", "a=end-of-candidates")
_MEDIA_LINE = re.compile(r"m=\S+ \d+ \S+ \S.*")
_INVALID = "The offer has a line that is not valid SDP. Send `pc.localDescription.sdp` as it is."
_UNREADABLE = (AssertionError, AttributeError, LookupError, StopIteration, TypeError, ValueError)
"""What aiortc's parser raises on lines it does not understand."""


@dataclass(frozen=True)
class _Section:
    lines: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.lines[0][2:].split(" ", 1)[0]

    @property
    def mid(self) -> str | None:
        return self.attribute("mid")

    def attribute(self, name: str) -> str | None:
        prefix = f"a={name}:"
        return next((x[len(prefix) :].strip() for x in self.lines if x.startswith(prefix)), None)

    def has(self, line: str) -> bool:
        return line in self.lines

    @property
    def has_candidates(self) -> bool:
        return any(line.startswith("a=candidate:") for line in self.lines)

    @property
    def is_offered(self) -> bool:
        return (self.lines[0].split(" ")[1] != "0" or self.has("a=bundle-only")) and not self.has(
            "a=inactive"
        )

    def rejected(self) -> list[str]:
        kind, _, profile, payload_type = self.lines[0].split(" ")[:4]
        mid = [] if self.mid is None else [f"a=mid:{self.mid}"]
        return [f"{kind} 0 {profile} {payload_type}", "c=IN IP4 0.0.0.0", *mid, "a=inactive"]


@dataclass(frozen=True)
class AudioOffer:
    """An offer that a leg can answer: ``sdp`` holds one audio section and at most one data channel
    section, all on one transport."""

    sdp: str
    sections: tuple[_Section, ...]
    used: tuple[int, ...]
    """Which of ``sections`` are in ``sdp``."""

    def complete(self, answer: str) -> str:
        """The answer to the whole offer, from the answer to ``sdp``."""
        session, answered = _split(answer)
        by_place = dict(zip(self.used, answered, strict=True))
        lines = list(session)
        for place, section in enumerate(self.sections):
            lines += by_place[place].lines if place in by_place else section.rejected()
        return _join(lines)


def read_offer(sdp: str, may_be: RemoteAddresses = ANY_ADDRESS) -> AudioOffer:
    """
    Takes milliseconds, so await it in a thread.

    Args:
        may_be: the addresses that may be the peer's; candidates with others are left out.

    Raises:
        BadOffer: it is not SDP, or has nothing that a call can use. The message says what to send.
    """
    if len(sdp) > MOST_CHARACTERS:
        raise BadOffer(f"The offer is longer than {MOST_CHARACTERS} characters.")
    if not sdp.lstrip().startswith("v=0"):
        raise BadOffer(
            "The body is not SDP, which begins with `v=0`. Send `pc.localDescription.sdp` as it is."
        )
    session, sections = _split(sdp)
    if not all(_MEDIA_LINE.fullmatch(section.lines[0]) for section in sections):
        raise BadOffer(_INVALID)
    _check_length(len(session))
    audio = _first_audio(sections)
    used = [audio]
    channel = next((i for i, x in enumerate(sections) if x.kind == "application"), None)
    if channel is not None and _shares_transport(session, sections[audio], sections[channel]):
        used = sorted([audio, channel])
    mids = [mid for place in used if (mid := sections[place].mid) is not None]
    _check_mids([sections[place] for place in used])
    lines = [line for line in session if not line.startswith(_BUNDLE)]
    if mids:
        lines.append(" ".join([_BUNDLE, *mids]))
    transport = _transport_lines(session, sections, audio, may_be)
    for place in used:
        lines += _on_transport(sections[place].lines, transport)
    offer = AudioOffer(_join(lines), tuple(sections), tuple(used))
    _check_transport(offer.sdp)
    return offer


def _check_mids(sections: Sequence[_Section]) -> None:
    """aiortc reads the last ``a=mid`` of a section, and two sections of one name as one."""
    named = [[line for line in each.lines if line.startswith("a=mid:")] for each in sections]
    names = list(chain.from_iterable(named))
    if len(set(names)) < len(names) or any(len(each) > 1 for each in named):
        raise BadOffer("Each part of the offer must have one `a=mid`, and no two the same.")


def _first_audio(sections: Sequence[_Section]) -> int:
    audio = [place for place, section in enumerate(sections) if section.kind == "audio"]
    if not audio:
        raise BadOffer(
            "The offer has no audio. Add the microphone's track, or an audio transceiver, before "
            "`createOffer()`."
        )
    for place in audio:
        section = sections[place]
        opus = any(re.match(r"a=rtpmap:\d+ opus/48000", x, re.IGNORECASE) for x in section.lines)
        if section.is_offered and opus:
            return place
    raise BadOffer(
        "The offer's audio cannot be used: it must be active and offer the codec opus/48000/2."
    )


def _shares_transport(session: Sequence[str], audio: _Section, channel: _Section) -> bool:
    groups = [line.split()[1:] for line in session if line.startswith(_BUNDLE)]
    return channel.is_offered and any(audio.mid in g and channel.mid in g for g in groups)


def _transport_lines(
    session: Sequence[str], sections: Sequence[_Section], audio: int, may_be: RemoteAddresses
) -> list[str]:
    """What the offer says of the audio's transport. In a bundle, one section may say it for all
    (RFC 8843, section 7.1). mDNS names are left out: resolving one takes up to a second, and the
    peer's own checks reveal its address anyway."""
    own = sections[audio]
    groups = [line.split()[1:] for line in session if line.startswith(_BUNDLE)]
    group = next((group for group in groups if own.mid in group), [])
    bundled = [own, *(each for each in sections if each.mid is not None and each.mid in group)]
    secured = next((x for x in bundled if x.attribute("ice-ufrag")), own)
    ufrag = secured.attribute("ice-ufrag")
    reached = (x for x in bundled if x.has_candidates and x.attribute("ice-ufrag") in (ufrag, None))
    try:
        candidates, end = usable_candidates(next(reached, own).lines, may_be)
    except ValueError as error:
        raise BadOffer(_INVALID) from error
    security = [line for line in secured.lines if line.startswith(_SECURITY)]
    return [*security, *candidates, *end]


def _on_transport(lines: Sequence[str], transport: Sequence[str]) -> list[str]:
    others = [x for x in lines if not x.startswith((*_SECURITY, *_CANDIDATES))]
    _check_length(len(others) + sum(line.startswith(_SECURITY) for line in transport))
    return [*others, *transport]


def _check_length(lines: int) -> None:
    if lines > MOST_LINES:
        raise BadOffer(f"A part of the offer has more than {MOST_LINES} lines.")


def _check_transport(sdp: str) -> None:
    try:
        description = SessionDescription.parse(sdp)
    except _UNREADABLE as error:
        raise BadOffer(_INVALID) from error
    for media in description.media:
        if media.ice is None or not media.ice.usernameFragment or not media.ice.password:
            raise BadOffer("The offer has no `a=ice-ufrag` and `a=ice-pwd`.")
        if media.dtls is None or not media.dtls.fingerprints:
            raise BadOffer("The offer has no `a=fingerprint` and `a=setup`.")
        if media.kind == "audio" and not media.rtcp_mux:
            raise BadOffer("The offer's audio must have `a=rtcp-mux`.")


def _split(sdp: str) -> tuple[list[str], list[_Section]]:
    session: list[str] = []
    sections: list[list[str]] = []
    for line in sdp.strip().splitlines():
        if line.startswith("m="):
            sections.append([line.rstrip()])
        else:
            (sections[-1] if sections else session).append(line.rstrip())
    return session, [_Section(tuple(lines)) for lines in sections]


def _join(lines: Sequence[str]) -> str:
    return "\r\n".join(lines) + "\r\n"
