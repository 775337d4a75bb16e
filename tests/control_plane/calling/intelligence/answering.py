"""A stand-in model that answers each question by its kind, and counts them."""

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
    """Which question a chat request is: a part's name, or ``notes``."""
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
