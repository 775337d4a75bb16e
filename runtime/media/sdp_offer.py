"""Reads a browser's offer: finds the audio and the data channel in it and rejects the rest.

aiortc fails if it cannot answer every media section. So it gets only the sections that a call uses.
The answer rejects the others with port zero, in their place (RFC 3264 section 6, RFC 8843).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aiortc.sdp import SessionDescription

from runtime.media.room import BadOffer

MOST_CHARACTERS = 64 * 1024
_BUNDLE = "a=group:BUNDLE"
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


def read_offer(sdp: str) -> AudioOffer:
    """
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
    audio = _first_audio(sections)
    used = [audio]
    channel = next((i for i, x in enumerate(sections) if x.kind == "application"), None)
    if channel is not None and _shares_transport(session, sections[audio], sections[channel]):
        used = sorted([audio, channel])
    mids = [mid for place in used if (mid := sections[place].mid) is not None]
    lines = [line for line in session if not line.startswith(_BUNDLE)]
    if mids:
        lines.append(" ".join([_BUNDLE, *mids]))
    for place in used:
        lines += _reachable_candidates_only(sections[place].lines)
    offer = AudioOffer(_join(lines), tuple(sections), tuple(used))
    _check_transport(offer.sdp)
    return offer


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


def _reachable_candidates_only(lines: Sequence[str]) -> list[str]:
    """``lines`` without mDNS names. Resolving one takes up to a second, and the peer's own checks
    reveal its address anyway. If no candidate is left, the end-of-candidates line goes too."""
    kept = [x for x in lines if not (x.startswith("a=candidate:") and ".local " in x)]
    if any(x.startswith("a=candidate:") for x in kept):
        return kept
    return [x for x in kept if x != "a=end-of-candidates"]


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
