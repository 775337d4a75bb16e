"""Email addresses, typed or dictated: "anna dot smith at gmail dot com"."""

from __future__ import annotations

import re

from pipelines.playbook.values.phrase import Found, Phrase

_TYPED = re.compile(r"(?<!\S)[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?!\S)")
_PART = r"(?:[a-z0-9]+)"
_WRITTEN_PART = r"(?:[a-z0-9]+(?:[._+-][a-z0-9]+)*)"
_JOIN = r"(?: (?:dot|point|dash|hyphen|minus|underscore|plus) | )"
_DICTATED = re.compile(
    rf"(?<!\S)(?P<local>{_WRITTEN_PART}(?:{_JOIN}{_WRITTEN_PART}){{0,11}}) (?:at|@) "
    rf"(?P<domain>{_PART}(?: {_PART}){{0,3}}?(?: (?:dot|point) {_PART}){{0,2}}"
    r" (?:dot|point) [a-z]{2,}"
    r"|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})(?!\S)"
)
_LEAD_IN = re.compile(
    r"^(?:.* )?(?:is|its|thats|at|be|to|use|email|e mail|address|sure|yes|yeah|okay|ok) "
    r"|^(?:so|well|oh) "
)
_HOW_IT_IS_WRITTEN = re.compile(
    r"(?<!\S)(?:(?:all )?(?:in |as )?(?:lower ?case(?: letters)?|small letters|1 word)|no spaces"
    r"|capital(?= [a-z](?!\S)))(?!\S)"
)
_SPOKEN_SIGNS = {
    "dot": ".",
    "point": ".",
    "dash": "-",
    "hyphen": "-",
    "minus": "-",
    "underscore": "_",
    "plus": "+",
}


def find_emails(said: Phrase) -> list[Found]:
    """At most one address, in lower case."""
    if typed := _TYPED.search(said.text):
        return [_found(said, typed[0], typed.start(), typed.end())]
    if dictated := _DICTATED.search(said.text):
        local, domain = dictated["local"], dictated["domain"]
        lead_in = _LEAD_IN.match(local + " ")
        skipped = len(lead_in[0]) if lead_in else 0
        if name := _joined(_HOW_IT_IS_WRITTEN.sub("", local[skipped:])):
            address = f"{name}@{_joined(domain)}"
            return [_found(said, address, dictated.start() + skipped, dictated.end())]
    return []


def _joined(dictated: str) -> str:
    return "".join(_SPOKEN_SIGNS.get(word, word) for word in dictated.split())


def _found(said: Phrase, address: str, start: int, end: int) -> Found:
    return Found(address, speak_email(address), said.word_span(start, end))


def speak_email(address: str) -> str:
    """``anna.smith@gmail.com`` → ``anna dot smith at gmail dot com``."""
    signs = {"@": " at ", ".": " dot ", "-": " dash ", "_": " underscore ", "+": " plus "}
    return "".join(signs.get(letter, letter) for letter in address)
