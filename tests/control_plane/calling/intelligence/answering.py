"""Good answers to each kind of request about a call."""

from __future__ import annotations

import json
from typing import Any

SUMMARY = {"summary": "Ada booked a table for four.", "sentiment": "positive"}
DATA = {"customer_name": "Ada Lovelace", "party_size": 4, "email": None}
VERDICTS = {
    "criteria": [
        {"number": 1, "passed": True, "score": 1.0, "reasoning": "It said hello."},
        {"number": 2, "passed": False, "score": 0.5, "reasoning": "It guessed the size."},
    ]
}
NOTES = {"notes": ["Ada wants a table for four on Friday."]}


def kind_of(request: dict[str, Any]) -> str:
    """What a chat request asks for: the name of a part, or ``notes``."""
    shape = request["response_format"]
    return str(shape["json_schema"]["name"]) if "json_schema" in shape else "structured_data"


def good_answer(request: dict[str, Any]) -> str:
    answers = {
        "summary": SUMMARY,
        "structured_data": DATA,
        "evaluation": VERDICTS,
        "notes": NOTES,
    }
    return json.dumps(answers[kind_of(request)])
