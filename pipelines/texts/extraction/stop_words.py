"""Words that carry no meaning of their own in a prompt. Losing them loses nothing."""

from __future__ import annotations

STRUCTURE = frozenset(
    (
        "a an the and or to of for at in on by with from that if whether when so also then please "
        "you your youre are is be it they their them theyre i im me my he she his her him s re ve "
        "ll d t q caller callers customer customers client clients patient patients guest guests "
        "user users person someone ask asks asked asking say says saying tell tells reply respond "
        "answer explain know start begin open call conversation phone end close finish collect "
        "gather get obtain capture take down note find out record request following information "
        "details first next finally step name named called role goal objective task job purpose "
        "mission aim have has do does did was were had can could would will should who what which "
        "about greeting opener greet primary main"
    ).split()
)
HEADING_WORDS = frozenset(
    (
        "tone style personality persona identity voice company business us background audience "
        "goals objectives success succeeds criteria knowledge base facts fact faq faqs hours "
        "prices pricing services service opening introduction message line words questions "
        "question qualification qualifying discovery required needed objections objection "
        "handling closing goodbye sign off ending last escalation transfer transfers handoff "
        "handover rules rule guidelines guardrails important flow steps script scripts "
        "instructions additional overview context general main speak how this order fails handing "
        "over kinds treat talk confirm website "
        "calls rings phones need want like we"
    ).split()
)
"""Words that headings consist of."""
