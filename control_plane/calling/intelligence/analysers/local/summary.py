"""A summary made of facts about the call and quotations of the caller. Pure."""

from __future__ import annotations

from control_plane.calling.intelligence.analysers.assignment import Assignment
from control_plane.calling.intelligence.analysers.local.end_of_call import sentence_about

PREFACE = "Made by the local analyser, without a language model."
_LONGEST_QUOTATION = 200


def summarise(assignment: Assignment) -> str:
    by_caller = [each.text for each in assignment.turns if each.speaker == "user"]
    by_agent = [each.text for each in assignment.turns if each.speaker == "agent"]
    sentences = [
        PREFACE,
        f"A call of {_duration(assignment.connected_ms)} with {assignment.agent_name}: the caller "
        f"spoke {_times(len(by_caller))}, the agent {_times(len(by_agent))}.",
    ]
    if by_caller:
        sentences.append(f"The caller began with {_quoted(by_caller[0])}.")
    if assignment.slots:
        collected = "; ".join(f"{name}: {value}" for name, value in assignment.slots.items())
        sentences.append(f"Collected: {collected}.")
    if len(by_caller) > 1:
        sentences.append(f"The caller's last words were {_quoted(by_caller[-1])}.")
    if assignment.end_reason:
        sentences.append(sentence_about(assignment.end_reason))
    return " ".join(sentences)


def _duration(connected_ms: int) -> str:
    minutes, seconds = divmod(round(connected_ms / 1000), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _quoted(text: str) -> str:
    shown = " ".join(text.split())
    if len(shown) > _LONGEST_QUOTATION:
        shown = shown[:_LONGEST_QUOTATION].rsplit(" ", 1)[0] + " …"
    return f"“{shown.rstrip('.')}”"
