"""The names of the business and of the agent."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CAPITAL = r"(?:(?:Dr|Mr|Mrs|Ms|St|Prof)\.|[A-Z0-9À-ÖØ-Þ][\w'’&+-]*(?:\.\w+)*)"
_NAME = rf"{_CAPITAL}(?: (?:(?:of|the|and|&|de|la|del|di|du|von|van|for|at) )?{_CAPITAL}){{0,5}}"
_LOWER_NAME = (
    r"[\w'’&-]+(?: (?!(?:that|which|who|and|in|to|for|with|is|where|on|at|it|she|he)\b)"
    r"[\w'’&-]+){0,3}"
)
_PROPER_NOUN = (
    r"(?:Hotel|Restaurant|Ristorante|Trattoria|Pizzeria|Bistro|Cafe|Café|Clinic|Clinica|Studio|"
    r"Salon|Garage|Casa|Gasthof|Praxis|Villa|Bar|Hostel|Inn|Chez)"
)
_AGENT_NOUN = (
    r"(?:agent|assistant|receptionist|bot|concierge|voice|caller|representative|operator|"
    r"secretary|helper|host|hostess|coordinator|persona|character|interviewer|advisor|specialist)"
)
BUSINESS_NOUN = (
    r"(?:restaurant|ristorante|trattoria|pizzeria|bistro|cafe|café|bar|pub|bakery|hotel|hostel|inn|"
    r"motel|guesthouse|resort|b&b|clinic|practice|surgery|dentist|dental|hospital|pharmacy|salon|"
    r"barber ?shop|barbers?|spa|studio|gym|club|school|academy|university|college|nursery|company|"
    r"business|firm|agency|brokerage|office|shop|store|boutique|garage|dealership|workshop|"
    r"startup|start-up|saas|platform|software|app|bank|insurer|insurance|courier|plumbers?|"
    r"plumbing|electricians?|roofing|contractor|cleaners?|cleaning|landscaping|logistics|"
    r"warehouse|brand|charity|church|museum|theat(?:er|re)|cinema|airline|travel agency|vet|"
    r"veterinary|vets|kennel|groomer|florist|law|lawyer|accountants?|realty|realtors?|estate|"
    r"services?|solutions|team|organi[sz]ation|center|centre|centers?|property|landlord|utility|"
    r"provider|retailer|webshop|marketplace|bookstore|library|farm|winery|brewery|catering)"
)
_OF_AGENT = (
    re.compile(
        rf"\b{_AGENT_NOUN}s?,?(?: (?:is|should be|who is|to be))? ?(?:named|called|name(?:d)? is|"
        rf"by the name of|with the name) \"?(?P<name>{_CAPITAL}(?: {_CAPITAL})?)"
    ),
    re.compile(
        rf"\b(?:[Yy]ou are|[Yy]ou're|[Ii] am|[Hh]er name is|[Hh]is name is|[Ii]ts name is|"
        rf"[Nn]ame (?:it|her|him)|[Aa]gent(?:'s)? name(?: is|:)|[Cc]all (?:it|her|him|yourself)|"
        rf"[Ii]ntroduces? (?:yourself|itself|herself|himself) as|[Nn]ame the agent) "
        rf"\"?(?P<name>(?!(?:AI|A|An|The)\b){_CAPITAL}(?: {_CAPITAL})?)"
    ),
    re.compile(rf"\b{_AGENT_NOUN} (?P<name>(?!I\b)[A-Z][a-zà-þ]+)\b(?! (?:for|of) [a-z])"),
    re.compile(
        rf"^\"?(?P<name>[A-Z][a-zà-þ]+)\"?,? (?:is )?(?:a|an|the|our|my)"
        rf"[\w ,-]{{0,40}} {_AGENT_NOUN}\b"
    ),
)
_OF_BUSINESS = (
    re.compile(rf"\b(?P<name>{_PROPER_NOUN} {_NAME})"),
    re.compile(rf"\b(?i:{BUSINESS_NOUN}),? (?:is )?(?:named|called) \"?(?P<name>{_NAME})"),
    re.compile(
        rf"\b(?i:our|my|the|this) (?:\w+ )?(?i:{BUSINESS_NOUN})(?:'s name)?"
        rf"(?: is(?: called| named)?|:) "
        rf"\"?(?P<name>{_NAME})"
    ),
    re.compile(rf"\b(?i:company|business|restaurant|clinic)(?: name)?: ?\"?(?P<name>{_NAME})"),
    re.compile(rf"\b(?:[Ww]e are|[Ww]e're|[Ww]e call ourselves) \"?(?P<name>{_NAME})"),
    re.compile(
        rf"\b(?:for|at|of|from|behalf of|represent(?:s|ing)?|by) (?:the |my |our |a |an )?"
        rf"(?:(?:[a-z][\w-]*|[A-Z][a-z]+(?:an|ese|ish|ch)|SaaS|IT) ){{0,4}}(?:{BUSINESS_NOUN}|SaaS)"
        rf"(?: (?:company|business|clinic|practice|startup))?,?"
        rf" \"?(?P<name>(?!I\b){_NAME})"
    ),
    re.compile(
        rf"\b(?i:for|at|of|from|behalf of|represent(?:s|ing)?) (?:the |our |my )?"
        rf"\"?(?P<name>{_NAME})"
    ),
    re.compile(rf"^(?:The )?\"?(?P<name>{_NAME})\"?,? (?:is|are) (?:a|an|the|your|our|one)\b"),
    re.compile(rf"\b(?i:{BUSINESS_NOUN}),? \"?(?P<name>(?!I\b){_NAME})"),
    re.compile(
        rf"^(?P<name>{_NAME}) (?:needs|wants|is looking for|would like|sells|offers|provides|takes|"
        r"delivers|repairs|rents|serves|makes|builds|runs|helps)\b"
    ),
)
_LOWER = (
    re.compile(rf"\b(?i:{BUSINESS_NOUN}),? (?:is )?(?:named|called) (?P<name>{_LOWER_NAME})"),
)
_QUOTED_LOWER = re.compile(rf"\b(?i:{BUSINESS_NOUN}|named|called),? \"(?P<name>[^\"]{{2,60}})\"")
_NO_NAMES = frozenset(
    (
        "i it we you he she they a an the if when this that please also english german french "
        "spanish italian portuguese dutch hindi polish turkish arabic chinese japanese korean "
        "russian american british european monday tuesday wednesday thursday friday saturday "
        "sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january "
        "february march april may june july august september october november december "
        "christmas easter new year ai it hr crm saas b2b b2c faq faqs api id ids vip uk us usa "
        "eu am pm q a sms pstn ivr nps csat llm gpt ok create build make design ask collect "
        "greet answer book schedule call help our my your hello hi thanks be keep never always "
        "do don't no yes tell say customers patients callers guests people smbs sme smes ceo "
        "cto"
    ).split()
)
_TRAILING = re.compile(
    r"(?:[.,;:!?]+|\s+(?:the|and|of|for|at|in|&|de|la|del|di|du|von|van)|'s)+$", re.IGNORECASE
)
_LONGEST_NAME = 80


@dataclass(frozen=True)
class Names:
    """A name is empty if the prompt does not give it."""

    agent: str = ""
    business: str = ""


def names_in(sentences: tuple[str, ...]) -> Names:
    """The first name of each kind. Quoted sentences are ignored, because they are speech."""
    plain = [_without_speech(sentence) for sentence in sentences]
    agent = next((name for text in plain if (name := _first(_OF_AGENT, text))), "")
    masked = [text.replace(agent, "") if agent else text for text in plain]
    business = ""
    for patterns in (_OF_BUSINESS, (_QUOTED_LOWER,), _LOWER):
        for pattern in patterns:
            business = business or next(
                (name for text in masked if (name := _first((pattern,), text))), ""
            )
    if business and business.islower():
        business = business.title().replace("'S", "'s")
    return Names(agent, business)


def _without_speech(sentence: str) -> str:
    """Remove quoted sentences. Short quotations stay, because they can be names."""
    return re.sub(r"\"[^\"]*[.?!,][^\"]*\"|\"(?:[^\"\s]+\s+){5,}[^\"]*\"", " ", sentence)


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> str:
    for pattern in patterns:
        for match in pattern.finditer(text):
            if name := _accepted(match["name"]):
                return name
    return ""


def _accepted(found: str) -> str:
    name = re.split(r"(?<!\bDr)(?<!\bMr)(?<!\bSt)(?<!\bMrs)(?<=[a-z])\.(?:\s|$)|[,;:!?\"]", found)[
        0
    ]
    name = _TRAILING.sub("", name).strip(" \"'")
    words = name.split()
    while words and words[-1].lower() in _NO_NAMES:
        words.pop()
    while words and words[0].lower() in _NO_NAMES - {"the", "new", "may", "april", "june"}:
        words.pop(0)
    name = _TRAILING.sub("", " ".join(words))
    is_name = bool(re.search(r"[^\W\d_]", name)) and len(name) <= _LONGEST_NAME
    return name if is_name and name.lower() not in _NO_NAMES else ""
