from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.slot_tools import ToolUse
from pipelines.playbook.state import Reply, State
from tests.pipelines.playbook.agents import dental_clinic, policy


def answer(said: str, agent: AgentConfig | None = None) -> Reply:
    talking = policy(agent or dental_clinic())
    state = talking.heard(State(), talking.plan.opener, is_interrupted=False)
    return talking.step(state, said)[1]


@pytest.mark.parametrize(
    "said",
    [
        "I can't breathe",
        "I have chest pain",
        "my father is having a heart attack",
        "she is not breathing",
        "he passed out",
        "I think I'm having a stroke",
        "the baby is choking",
        "he won't stop bleeding",
        "I took an overdose",
        "I want to kill myself",
        "my house is on fire",
        "I smell gas",
        "please call an ambulance",
        "somebody broke into my house",
    ],
)
def test_somebody_in_danger_is_sent_to_the_emergency_number(said: str) -> None:
    reply = answer(said)
    assert "emergency number" in reply.text
    assert "?" not in reply.text
    assert reply.slots == {}
    assert reply.note


def test_the_owners_own_words_for_an_emergency_come_first() -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Clinic",
            "playbook": {
                "objectionHandlers": [
                    {"trigger": "trouble breathing", "response": "Please hang up and call 911."},
                    {"trigger": "too expensive", "response": "It is not."},
                ]
            },
        }
    )
    assert answer("I can't breathe", agent).text == "Please hang up and call 911."


@pytest.mark.parametrize(
    "said",
    [
        "this is ridiculous",
        "you are useless",
        "you stupid robot",
        "I'm so angry",
        "I am sick of this",
        "what the hell",
        "this is a waste of my time",
        "are you even listening",
        "that's unacceptable",
        "shut up",
        "I'm really fed up with you",
        "I already told you that",
    ],
)
def test_somebody_angry_is_soothed_and_called_back(said: str) -> None:
    reply = answer(said)
    assert "I'm sorry that this is frustrating" in reply.text
    assert reply.note is not None
    assert "call back" in reply.note


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Hola, quiero una cita para mañana", "Spanish"),
        ("¿Habla español?", "Spanish"),
        ("Bonjour, je voudrais un rendez-vous", "French"),
        ("Guten Tag, ich möchte einen Termin", "German"),
        ("sprechen Sie Deutsch", "German"),
        ("Buongiorno, vorrei prenotare un tavolo", "Italian"),
        ("Bom dia, eu gostaria de marcar uma consulta", "Portuguese"),
        ("Goedemorgen, ik wil graag een afspraak", "Dutch"),
        ("Dzień dobry, chciałbym umówić wizytę", "Polish"),
        ("Merhaba, randevu istiyorum", "Turkish"),
        ("Здравствуйте, я хочу записаться", "Russian"),
        ("我想预约", "Chinese"),
        ("مرحبا اريد موعد", "Arabic"),
        ("do you speak Spanish", "Spanish"),
        ("I don't speak English", "another language"),
    ],
)
def test_another_language_is_noticed_and_not_taken_for_an_answer(said: str, language: str) -> None:
    reply = answer(said)
    assert "I only understand English" in reply.text
    assert reply.note is not None
    assert language.lower() in reply.note.lower()


@pytest.mark.parametrize(
    "said",
    [
        "let me talk to a person",
        "I want to speak to a human",
        "can I speak with somebody please",
        "get me a manager",
        "transfer me",
        "put me through to the receptionist",
        "I need a real person",
        "representative",
        "I'd like to speak to your supervisor",
        "give me an operator",
        "connect me with a human being please",
    ],
)
def test_nobody_is_promised_a_transfer(said: str) -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Clinic",
            "playbook": {"escalationRule": 'If asked, say "Hold on, let me transfer you now."'},
        }
    )
    reply = answer(said, agent)
    assert "can't put you through" in reply.text
    assert "transfer" not in reply.text
    assert reply.note
    assert reply.transfer is None


REACHABLE = {
    "type": "transfer",
    "name": "to_desk",
    "description": "Reaches the desk.",
    "to": "+14155550100",
}


def test_with_a_number_a_person_is_really_reached() -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Clinic",
            "tools": [REACHABLE],
            "playbook": {"escalationRule": 'If asked, say "Hold on, let me transfer you now."'},
        }
    )
    reply = answer("let me talk to a person", agent)
    assert reply.text == "Hold on, let me transfer you now."
    assert reply.transfer == ToolUse("to_desk", {})
    assert reply.if_failed is not None
    assert "can't put you through" in reply.if_failed.text


def test_a_person_at_a_sip_address_is_not_promised() -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Clinic",
            "tools": [REACHABLE | {"to": "sip:desk@example.com"}],
            "playbook": {"escalationRule": 'If asked, say "Hold on, let me transfer you now."'},
        }
    )
    reply = answer("let me talk to a person", agent)
    assert "can't put you through" in reply.text
    assert reply.transfer is None


def test_the_escalation_rules_own_condition_reaches_a_person() -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Clinic",
            "tools": [REACHABLE | {"mode": "warm"}],
            "playbook": {"escalationRule": "Transfer when the caller asks for a refund."},
        }
    )
    reply = answer("I want a refund", agent)
    assert reply.transfer == ToolUse("to_desk", {"summary": ""})


@pytest.mark.parametrize(
    "said",
    [
        "my tooth hurts",
        "it is an emergency appointment for my son",
        "De la Cruz",
        "my name is Maria Garcia",
        "I'm calling about a cleaning",
        "yes please",
        "no problem",
        "the service was terrible last time",
        "I lost a filling",
        "Mesa",
        "I want to die my hair",
        "my father had a stroke last year",
        "I already told you my name is Bob Miller",
        "that's not my name",
        "Van der Berg",
    ],
)
def test_ordinary_words_are_not_urgent(said: str) -> None:
    text = answer(said).text
    for alarm in ("emergency number", "frustrating", "only understand English"):
        assert alarm not in text


@pytest.mark.parametrize(
    "said",
    [
        "wrong number",
        "you have the wrong number",
        "you've got the wrong person",
        "there is no Ann here",
        "nobody by that name lives here",
        "no one here by that name",
        "he doesn't live here",
        "that's not me",
        "I don't know her",
        "never heard of him",
        "this is not his number",
    ],
)
def test_a_wrong_number_ends_the_call(said: str) -> None:
    agent = AgentConfig.model_validate(
        {
            "name": "Dunning",
            "playbook": {
                "opener": "Hello, this is Sam. Am I speaking with Ann?",
                "qualificationFlow": [{"question": "I'm calling about your invoice. Can you pay?"}],
            },
        }
    )
    reply = answer(said, agent)
    assert reply.end_call
    assert "wrong number" in reply.text
    assert "invoice" not in reply.text
