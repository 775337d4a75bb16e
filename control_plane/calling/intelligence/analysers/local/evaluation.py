"""Judges a rubric by looking for its words in what was said. Pure."""

from __future__ import annotations

from control_plane.calling.intelligence.analysers.assignment import Assignment
from control_plane.calling.intelligence.analysers.findings import CriterionVerdict, Evaluation
from control_plane.calling.intelligence.analysers.local.words import stem, words

PREFACE = (
    "Made by the local analyser, without a language model: it looks for a criterion's words in "
    "what was said and collected, and does not understand them."
)
_ENOUGH = 0.5
_SHORTEST_WORD = 3
_FILLER = frozenset(
    (
        "the and for with that this was were has have had did does agent caller customer call "
        "should must asked asks ask told tells tell was his her their them they are any all not "
        "but from into when what who whether politely clearly correctly properly"
    ).split()
)


def evaluate(assignment: Assignment) -> Evaluation:
    said = " ".join(each.text for each in assignment.turns)
    collected = " ".join(f"{name} {value}" for name, value in assignment.slots.items())
    heard = {stem(word) for word in words(f"{said} {collected}")}
    verdicts = tuple(_judge(criterion, heard) for criterion in assignment.criteria)
    return Evaluation.of(verdicts, PREFACE)


def _judge(criterion: str, heard: set[str]) -> CriterionVerdict:
    wanted = {
        stem(word)
        for word in words(criterion)
        if len(word) >= _SHORTEST_WORD and word not in _FILLER
    }
    found = wanted & heard
    score = round(len(found) / len(wanted), 3) if wanted else 0.0
    return CriterionVerdict(
        criterion=criterion,
        passed=score >= _ENOUGH,
        score=score,
        reasoning=f"{len(found)} of its {len(wanted)} key words occur ({criterion})",
    )
