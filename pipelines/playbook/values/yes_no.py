"""The many ways to say yes and no."""

from __future__ import annotations

import re

from pipelines.playbook.values.phrase import Phrase

_UNDECIDED = re.compile(
    r"\b(?:i )?(?:dont|do not|didnt) (?:really )?(?:know|understand|remember|mind|care)\b"
    r"|\bnot (?:really |quite |entirely |completely |so |too |that )?(?:sure|certain)\b"
    r"|\b(?:i )?(?:cant|cannot) (?:really |quite )?(?:remember|recall|say)\b(?! (?:that|i)\b)"
    r"|\b(?:i )?(?:have |ive )?(?:got )?no (?:idea|clue)\b|\b(?:havent|not) decided\b"
)
_FIRM_YES = re.compile(
    r"\b(?:thats|that is|its|it is|all|sounds|is|everything is|everythings|no) "
    r"(?:all |absolutely |totally |quite |perfectly )?"
    r"(?:right|correct|fine|good|great|perfect|ok|okay|true|problem|worries)\b"
    r"|\bno (?:thats|that is|its) it\b"
)
_NO = re.compile(
    r"^(?:no|nope|nah|naw|know|never|negative|nay)\b|\b(?:no|nope|nah) (?:thanks|thank you)\b"
    r"|\bnot (?:really|at all|yet|now|today|right|correct|quite|true|interested|necessary|needed|"
    r"me|exactly|particularly|ever|that i know)\b"
    r"|\b(?:thats|that is|its|is|are|all) (?:wrong|incorrect|false)\b|^(?:wrong|incorrect)\b"
    r"|\b(?:dont|do not|didnt|did not|havent|have not|wont|cant|wouldnt|isnt|im not|i am not|"
    r"arent|doesnt|wasnt|hasnt)\b|\b(?:no|nope)$|^(?:i )?never\b|\bneither\b|\brather not\b"
)
_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|yea|ya|yah|yess|sure|correct|right|exactly|absolutely|definitely|"
    r"certainly|indeed|affirmative|ok|okay|okey|fine|perfect|great|lovely|wonderful|alright|true)\b"
    r"|\b(?:of course|why not|please do|go ahead|sounds good|"
    r"that works|works for me|i do|i am|i have|"
    r"i did|i would|i will|id love|id like|it is|it does|they do|we do|we are|we have|i think so|"
    r"i guess so|i believe so|you got it|you bet|thats it|by all means|i can|book it|do it)\b"
    r"|^(?:good|please|yes|cool)\b"
)


def yes_or_no(said: Phrase) -> bool | None:
    """``True``, ``False``, or ``None`` if the words say neither.

    "No, that's right" is a yes: the statement counts, not the first word.
    """
    plain = _UNDECIDED.sub("", said.plain)
    if _FIRM_YES.search(plain) and not re.search(r"\b(?:not|isnt|nothing)\b", plain):
        return True
    if _NO.search(plain):
        return False
    if _YES.search(plain):
        return True
    return None
