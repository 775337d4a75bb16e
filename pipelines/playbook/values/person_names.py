"""Names of people in free sentences.

We cannot look a name up in a list, because recognisers invent spellings. We find it by the words
around it ("my name is …", "… speaking"). If a name was asked for, we also remove everything that is
not part of one.
"""

from __future__ import annotations

import re

from pipelines.playbook.values.phrase import Found, Phrase
from pipelines.texts import word_borders

_MAX_WORDS = 4
_INTRODUCED = re.compile(
    r"\b(?:(?:my|the|his|her|first|last|full|our) (?:full |first |last |sur)?names?(?: is|s)?"
    r"|name is|names|call me|i am called|im called|under the name(?: of)?|you can call me"
    r"|(?:put|book) it under|it(?:s| is) (?:for|under)) (?:is )?"
)
_FIRST_NAME = re.compile(r"\bfirst names?(?: is)? ")
_LAST_NAME = re.compile(r"\b(?:last |family |sur)names?(?: is)? ")
_PRESENTED = re.compile(r"\b(?:this is|im|i am|its|it is|thats|that is) ")
_SPEAKING = re.compile(r"^((?:\S+ ){1,4}?)(?:speaking|here)\b")
_LEAD_INS = frozenset(
    (
        "oh yes yeah yep yup sure ok okay well so it its is this that thats would be the name "
        "names my please im i am and hi hello hey of course certainly right great good "
        "thanks thank you just no sorry actually meant mean called call me under for put "
        "down full first last a alright fine under absolutely like"
    ).split()
)
_TRAILERS = frozenset(
    (
        "please thanks thank you speaking here and is i ill id im ive its it by the that "
        "thats for with on at from would can could but so if my in to calling wanted want "
        "need was as"
    ).split()
)
_NEVER_NAMES = frozenset(
    (
        "oh i you he she we they it me him us them my your a an the this that these those what "
        "where when why how who which is are was were am be been do does did have has had "
        "can could would should will shall may not dont didnt cant wont isnt wasnt doesnt "
        "want wanted need needed like liked just looking calling trying hoping wondering "
        "going interested afraid scared worried sorry here there happy fine good great okay "
        "ok yes no sure well new old existing patient customer client person human robot "
        "really very quite so too about with without from for to of in on at by or and but "
        "if then than because as appointment book booking call phone number available free "
        "busy sick late early ready back today tomorrow morning afternoon evening something "
        "nothing anything everything someone again repeat please thank thanks hello hi hey "
        "goodbye bye stop wait hold moment minute second hurt hurts pain tooth expensive "
        "price cost much many maybe perhaps think know mean meant say said tell talk speak "
        "speaking understand hear heard get got give make made take let lets come see right "
        "correct wrong only also already still never always one two three four five six "
        "seven eight nine ten first last name incorrect false mistake problem sounds sound "
        "works work alright all day time kidding joking done thats spelled spelt "
        "before after until till between during "
        "table tables room rooms dinner lunch breakfast order delivery pickup reservation "
        "appointments question questions haircut cleaning help information "
        "son daughter child children kid kids wife husband partner mother father mum mom dad "
        "parents brother sister family friend girlfriend boyfriend colleague boss "
        "nope nah whatever idea clue dunno none nobody"
    ).split()
)
_TITLES = frozenset("mr mrs ms dr prof".split())
"""Some recognisers put a full stop behind them. Alone they are no names."""
_LETTERS = re.compile(rf"(?:(?![\d_]){word_borders.LETTER})+")
_PARTICLES = frozenset("de da di van von der den la le del bin al el dos du ter".split())


def find_names(said: Phrase, *, expected: bool, label: str = "") -> list[Found]:
    """At most one name. Unless ``expected``, the caller must introduce it as a name.

    ``label``: what is asked for. Of "first name Anna, last name Smith", it may be one of the two.
    """
    first, last = (_after(each, said, certain=True) for each in (_FIRST_NAME, _LAST_NAME))
    if first and last and first.words != last.words:
        asks_first, asks_last = "first" in label, bool(_LAST_NAME.search(f"{label} "))
        if asks_first != asks_last:
            return [first if asks_first else last]
        return [_full_name(first, last)]
    # "I'm calling …" and "it's fine" introduce no name, so unasked, it needs a capital letter.
    found = (
        _after(_INTRODUCED, said, certain=True)
        or (_name_at(said, _first_free(said), certain=True, alone=True) if expected else None)
        or _after(_PRESENTED, said, certain=expected)
        or _before_speaking(said)
    )
    return [found] if found else []


def _full_name(first: Found, last: Found) -> Found:
    name = f"{first.value} {last.value}"
    start = min(first.words.start, last.words.start)
    return Found(name, name, range(start, max(first.words.stop, last.words.stop)))


def _after(pattern: re.Pattern[str], said: Phrase, *, certain: bool) -> Found | None:
    plain = said.plain
    starts = (plain.count(" ", 0, match.end()) for match in pattern.finditer(plain))
    names = (_name_at(said, start, certain=certain) for start in starts)
    return next((name for name in names if name), None)


def _before_speaking(said: Phrase) -> Found | None:
    """``Peter van der Berg speaking``."""
    speaking = _SPEAKING.match(said.plain)
    if speaking is None:
        return None
    names = (_name_at(said, i, certain=True) for i in range(speaking[1].count(" ")))
    return next((name for name in names if name), None)


def _first_free(said: Phrase) -> int:
    start = 0
    while start < len(said.words) and (said.words[start] in _LEAD_INS or start in said.taken):
        start += 1
    return start


def _name_at(said: Phrase, start: int, *, certain: bool, alone: bool = False) -> Found | None:
    """The name that starts at the index ``start``. ``alone``: it must not be the beginning of a
    sentence about something else."""
    while start < len(said.words) and said.words[start] in _LEAD_INS and certain:
        start += 1
    if letters := _letters_at(said, start):
        return letters
    end = start
    while (
        end < len(said.words)
        and end - start < _MAX_WORDS
        and _may_be_name(said, end)
        and (certain or said.surface[end][:1].isupper())
    ):
        end += 1
        if end - 1 in said.stops and said.words[end - 1] not in _TITLES:
            break
    while end > start and said.words[end - 1] in _TRAILERS | _TITLES:
        end -= 1
    if end == start:
        return None
    followed = end < len(said.words) and end - 1 not in said.stops
    if followed and (alone or end - start > 2) and said.words[end] not in _TRAILERS:
        return None
    spelled_at = end
    name = [_cased(said.surface[i], is_first=i == start) for i in range(start, end)]
    while spelled_at < len(said.words) and said.words[spelled_at] in ("thats", "spelled", "spelt"):
        spelled_at += 1
    if letters := _letters_at(said, spelled_at):
        name = _respelled(name, letters.value)
        end = letters.words.stop
    spoken = " ".join(name)
    return Found(spoken, spoken, range(start, end))


def _letters_at(said: Phrase, start: int) -> Found | None:
    """A name that is spelt, with at least three letters."""
    end = start
    while end < len(said.words) and len(said.words[end]) == 1 and said.words[end].isalpha():
        end += 1
    if end - start < 3:
        return None
    name = "".join(said.words[start:end]).capitalize()
    return Found(name, name, range(start, end))


def _respelled(name: list[str], spelling: str) -> list[str]:
    """``["Anna", "Smith"]``, then spelt "Smyth", is ``["Anna", "Smyth"]``."""
    alike = [i for i, word in enumerate(name) if word[:1] == spelling[:1]]
    if not alike:
        return [*name, spelling]
    name[alike[-1]] = spelling
    return name


def _may_be_name(said: Phrase, index: int) -> bool:
    word = said.words[index]
    letters = word.replace(".", "")
    return (
        index not in said.taken
        and _LETTERS.fullmatch(letters) is not None
        and (len(letters) > 1 or said.surface[index].isupper())
        and word not in _NEVER_NAMES
    )


def _cased(word: str, *, is_first: bool = False) -> str:
    if word.lower() in _PARTICLES and not (is_first and word[:1].isupper()):
        return word.lower()
    return (
        word
        if any(letter.isupper() for letter in word[1:]) and not word.isupper()
        else (word[:1].upper() + word[1:].lower())
    )
