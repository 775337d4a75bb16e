"""What a caller may want at any time, independent of the agent's question."""

from __future__ import annotations

import re
from enum import Enum, auto

from pipelines.playbook.values.phrase import Phrase


class Intent(Enum):
    REPEAT = auto()
    HOLD_ON = auto()
    GOODBYE = auto()
    DO_NOT_CALL = auto()
    HUMAN = auto()
    ARE_YOU_ROBOT = auto()
    WHO_ARE_YOU = auto()
    CAPABILITIES = auto()
    RECAP = auto()
    HOW_ARE_YOU = auto()
    GREETING = auto()
    THANKS = auto()
    STILL_HERE = auto()
    DO_NOT_KNOW = auto()
    DECLINE = auto()
    ALL_DONE = auto()
    CORRECTION = auto()
    EMERGENCY = auto()
    """Somebody is in danger. A burst pipe is none."""
    ANGRY = auto()
    """About the call itself. A complaint about something else is an answer."""
    WRONG_NUMBER = auto()
    NOT_INTERESTED = auto()


_PERSON = (
    "(?:human|person|someone|somebody|agent|representative|operator|manager|supervisor|"
    "receptionist|colleague|advisor|staff|employee|people|boss|woman|man)"
)
_MACHINE = "(?:robot|bot|human|machine|computer|ai|person|automated|recording|real|chatgpt)"
_UP_TO_3 = r"(?:\w+ ){0,3}"

_ANYWHERE: dict[Intent, tuple[str, ...]] = {
    Intent.REPEAT: (
        # A repeat prescription is something else.
        r"(?<!\ba )(?<!\bmy )repeat"
        "(?! (?:my )?(?:prescription|order|appointment|booking|visit|customer|client|patient)s?)",
        "say (?:that|it|this|your \\w+) (?:one more time|again)",
        "say again",
        "again please",
        "come again",
        "pardon",
        "one more time",
        "what did you (?:just )?(?:say|ask)",
        "what was (?:that|the question)",
        "what do you mean",
        r"(?:cant|couldnt|didnt|dont|can not|could not|did not|do not) (?:\w+ )?"
        r"(?:hear|catch|understand|get) "
        # "I didn't get that letter" tells of a letter.
        r"(?:what you|(?:you|that|it|what)"
        r"(?= (?:sorry|please|at all|very|clearly|properly|can|could|say|again)|$))",
    ),
    Intent.HOLD_ON: (
        "h[oa](?:ld|ng) (?:on|the line|please)",
        "(?:dont|do not) hang up",
        "(?:one|a|just a|give me a|wait a) (?:moment|second|sec|minute|min)",
        "just wait",
        "please wait",
        "bear with me",
        "let me (?:check|look|see|just|think)(?! about)",
    ),
    Intent.GOODBYE: (
        "good ?bye?",
        "bye",
        # "Can I see you?", "I see you are open" and "come and see you" are none.
        r"(?<!\bi )(?<!\bwe )(?<!to )(?<!and )(?<!come )see you",
        "talk to you later",
        "have a (?:good|nice|great) (?:day|one|evening|weekend)",
        "(?<!dont )(?<!not )(?<!never )(?<!you )hang up",
        "(?<!dont )(?<!not )(?:end|stop|cancel) (?:the|this) call"
        "(?= (?:please|now|thanks|thank|bye|goodbye)|$)",
        "lets stop",
        "leave me alone",
        "take care$",
        "(?:have to|gotta|got to|must|need to) (?:go|run|leave)(?: now)?$",
    ),
    Intent.DO_NOT_CALL: (
        "(?:stop|dont|do not|never|quit) (?:ever )?call(?:ing)?"
        "(?! (?:me )?(?:before|after|until|till|between|during|on|in the|today|tomorrow))(?: me)?",
        "(?:take|get) me off",
        "remove me",
        "unsubscribe",
    ),
    Intent.HUMAN: (
        "(?:speak|talk|connect me|put me through|transfer me|pass me|get me|give me)"
        rf"(?: \w+){{0,4}} {_PERSON}",
        r"(?:speak|talk)(?: \w+){0,4} (?:doctor|dentist)",
        f"(?:real|actual|live) {_PERSON}",
        "human being please",
        "(?:get|give|find|is there|can|could) (?:me )?someone else",
        "transfer me",
        f"(?:want|need|prefer|like) an? {_PERSON}",
    ),
    Intent.ARE_YOU_ROBOT: (
        f"(?:are|r) you {_UP_TO_3}{_MACHINE}",
        f"is this {_UP_TO_3}{_MACHINE}",
        f"am i (?:talking|speaking) (?:to|with) {_UP_TO_3}{_MACHINE}",
        f"youre an? {_MACHINE}",
    ),
    Intent.WHO_ARE_YOU: (
        "who (?:are|r) you",
        "who(?:s| is) (?:this|that|calling|there|speaking)",
        "what(?:s| is) your name",
        "your name again",
        "who am i (?:talking|speaking) (?:to|with)",
        "(?:what|which) company",
        "where are you calling from",
        "introduce yourself",
        "who do you work for",
    ),
    Intent.CAPABILITIES: (
        "what (?:can|do) you (?:do|offer)",
        "how can you help",
        "what are you (?:able|for|good)",
        "what(?:s| is) this (?:about|call|for)",
        "why are you calling",
        "what can i (?:do|ask|say)",
        "what do you want",
        "what are my options",
        "^help(?: me)?$",
    ),
    Intent.RECAP: (
        "what (?:did i|have i) (?:say|said|tell|told|give|given)",
        "what (?:do you have|have you got) so far",
        "sum (?:it|that) up",
        "summari[sz]e",
        "recap",
        "read (?:it|that|this) back",
        "what did you (?:write|note)",
    ),
    Intent.HOW_ARE_YOU: (
        "how are y(?:ou|a)",
        "how(?:s| is) it going",
        "how do you do",
        "how you doing",
        "hows your day",
    ),
    Intent.GREETING: ("^(?:hello|hi|hey|greetings|howdy|good (?:morning|afternoon|evening|day))",),
    Intent.THANKS: ("thanks", "thank you", "cheers", "appreciate it"),
    Intent.STILL_HERE: (
        r"(?:im|i am|yes|yeah|still) (?:still )?(?:here|back|listening)",
        "can you hear me",
        "are you (?:still )?there",
        "any(?:body|one) there",
        "(?:go|carry) on",
        "continue",
        "keep going",
        "im ready",
    ),
    Intent.DO_NOT_KNOW: (
        "(?:dont|do not|didnt) (?:really )?know",
        "(?:dont|cant) remember",
        "not sure",
        "im unsure",
        "no (?:idea|clue)",
        "dunno",
        "hard to say",
        "cant say",
        "havent decided",
        "no preference",
        "you (?:choose|decide|pick)",
        "who knows",
    ),
    Intent.DECLINE: (
        "rather not",
        "none of your business",
        "(?:dont want|not going|not gonna|refuse) (?:to )?(?:say|tell|give|answer|share)",
        "wont (?:say|tell|give)",
        "prefer not",
        "skip (?:it|that|this)",
        "why do you (?:need|want|ask)",
        "thats private",
        "next question",
    ),
    Intent.ALL_DONE: (
        "(?:thats|that is|thatll be|that will be|that was) (?:all|it|everything)",
        "nothing",
        "all (?:good|done|set)",
        "im (?:good|done|fine|all set|okay|ok)",
        "no more questions",
        "all for (?:now|today)",
    ),
    Intent.CORRECTION: (
        "i (?:meant|mean|said)",
        "actually",
        "make (?:it|that)",
        "move it",
        "change",
        "switch",
        "update",
        "instead",
        "rather",
        "wrong",
        "incorrect",
        "not (?:right|correct)",
        "correction",
        "mistake",
        "scratch that",
        "sorry",
        "wait",
        "on second thought",
        "let me correct",
        "mis(?:heard|understood)",
        "^(?:no|nope|not)",
    ),
}
_ANYWHERE |= {
    Intent.EMERGENCY: (
        "(?:cant|cannot|can not|can hardly|can barely|couldnt|trouble|difficulty|struggling to) "
        "(?:breathe|breathing)",
        "(?:not|isnt|stopped) breathing",
        "chest pains?",
        "(?:pain|pressure|tightness) in (?:my|his|her|the) chest",
        "heart attack",
        "having a (?:stroke|seizure)",
        "(?:is|im|are|hes|shes|went|fell|found \\w+) unconscious",
        "(?:passed out|collapsed)",
        "(?:is|im|hes|shes|are) choking",
        "bleeding (?:badly|heavily|a lot|out|to death|everywhere)",
        "(?:wont|doesnt|not) stop bleeding",
        "overdos(?:e|ed|ing)",
        "suicid(?:e|al)",
        "(?:kill|hurt|harm) (?:myself|himself|herself)",
        "(?:end|take) my (?:own )?life",
        "want to die(?! my)",
        "(?:call|need|send) an ambulance",
        "(?:call|dial) (?:911|999|112|nine one one)",
        "(?:house|home|building|kitchen|car|room|place|apartment) is (?:on fire|burning)",
        "theres a fire",
        "there is a fire",
        "smell(?:s|ing)? (?:of |like )?gas",
        "gas leak",
        "carbon monoxide",
        "(?:being|getting) attacked",
        "(?:somebody|someone) (?:is breaking|broke) in(?:to)?",
        "(?:severe|bad) allergic reaction",
        "throat is (?:closing|swelling)",
        "swallowed (?:poison|bleach|pills)",
    ),
    Intent.ANGRY: (
        "(?:this|that|thats|its|it) (?:is |just )?(?:so |absolutely |totally |completely |really )?"
        "(?:ridiculous|unacceptable|outrageous|a joke|bullshit|insane|infuriating)",
        "(?:you|youre|you are)(?: are)? (?:so |all |all so |absolutely |completely |such )?"
        "(?:a |an )?(?:\\w+ )?"
        "(?:useless|stupid|idiots?|terrible|incompetent|worthless|dumb|hopeless)",
        "(?:stupid|dumb|useless|damn|bloody|fucking) (?:bot|robot|machine|computer|thing|system)",
        "fuck(?: you| this| off|ing)?",
        "shut up",
        "screw (?:you|this)",
        "im (?:so |really |very |extremely |getting |absolutely )*"
        "(?:angry|furious|pissed|mad at|fed up|livid|losing my patience)",
        "(?:sick|tired) of (?:this|you|talking|repeating|waiting)",
        "waste of (?:my )?time",
        "wasting my time",
        "are you (?:even )?listening",
        "you(?:re| are) not listening",
        "i (?:already|just) (?:told|said) you(?: that)?(?: (?:twice|three times|already))?$",
        "hate (?:this|you|these)",
        "what the (?:hell|fuck|heck)",
        "piss off",
    ),
    Intent.WRONG_NUMBER: (
        "wrong (?:number|person|guy|house|phone)",
        "(?:no|not any) ?(?:one|body) (?:here )?(?:by|with|of) (?:that|this) name",
        "(?:nobody|no one|noone) (?:by|with|of) that name",
        "(?:he|she|they) (?:doesnt|dont|does not|do not|no longer) lives? here",
        "(?:isnt|is not|not) (?:his|her) number",
        "thats not me",
        "that is not me",
        "(?:never heard of|dont know) (?:him|her|them|that person|anyone)",
        "you (?:have|got|dialed|dialled) the wrong",
        "there(?:s| is) no \\w+(?: \\w+)? (?:here|at this number)",
    ),
    Intent.NOT_INTERESTED: (
        "not (?:really |at all |particularly )?interested",
        "no interest",
        "(?:dont|do not) (?:want|need) (?:it|this|that|any|anything|your|to buy)(?: \\w+)*",
        "not for me",
        "no thanks not",
        "im not buying",
        "stop selling",
    ),
}
_ALONE: dict[Intent, str] = {
    Intent.REPEAT: "what|sorry|sorry what|excuse me|what again|again",
    Intent.HOLD_ON: "(?:(?:wait|stop|hold|okay|ok|please|no|it|talking|quiet|be|oh) ?)*"
    "(?:wait|stop|hold|stop it|quiet)(?: please)?",
    Intent.HUMAN: f"(?:(?:an? )?{_PERSON}|someone else)(?: please)?",
    Intent.DO_NOT_KNOW: "whatever",
    Intent.DECLINE: "skip|pass|next",
}
"""Words that count only if nothing else is said."""

_PATTERNS = {
    intent: re.compile(
        rf"(?<!\S)(?:{'|'.join(patterns)})(?!\S)"
        + (rf"|^(?:{_ALONE[intent]})$" if intent in _ALONE else "")
    )
    for intent, patterns in _ANYWHERE.items()
}


def intents(said: Phrase) -> frozenset[Intent]:
    """Every intent whose words occur. The policy decides which of them counts."""
    return frozenset(i for i, pattern in _PATTERNS.items() if pattern.search(said.plain))
