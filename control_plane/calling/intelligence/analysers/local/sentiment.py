"""The caller's sentiment, from the words they used. Pure. English only."""

from __future__ import annotations

from collections.abc import Iterable

from control_plane.calling.intelligence.analysers.findings import Sentiment
from control_plane.calling.intelligence.analysers.local.words import words

_POSITIVE = frozenset(
    (
        "thanks thank great good perfect excellent wonderful lovely happy pleased love nice "
        "awesome brilliant helpful fantastic amazing appreciate glad super delighted"
    ).split()
)
_NEGATIVE = frozenset(
    (
        "bad terrible awful angry annoyed annoying unhappy disappointed disappointing worst hate "
        "horrible useless ridiculous unacceptable complaint complain broken wrong frustrated "
        "frustrating rude upset furious problem poor stupid scam"
    ).split()
)
_NEGATIONS = frozenset(
    "not no never don't doesn't didn't isn't wasn't won't can't cannot hardly without".split()
)
_REACH_OF_NEGATION = 3
_CLEARLY_MORE = 2


def sentiment_of(turns: Iterable[str]) -> Sentiment:
    """Compare how many positive and negative words the turns contain.

    The result is ``mixed`` if both kinds occur and neither is at least twice as frequent as the
    other.
    """
    positive = negative = 0
    for utterance in turns:
        spoken = words(utterance)
        for position, word in enumerate(spoken):
            if word not in _POSITIVE and word not in _NEGATIVE:
                continue
            before = spoken[max(0, position - _REACH_OF_NEGATION) : position]
            is_negated = not _NEGATIONS.isdisjoint(before)
            if (word in _POSITIVE) != is_negated:
                positive += 1
            else:
                negative += 1
    if positive >= _CLEARLY_MORE * negative and positive > 0:
        return "positive"
    if negative >= _CLEARLY_MORE * positive and negative > 0:
        return "negative"
    return "mixed" if positive and negative else "neutral"
