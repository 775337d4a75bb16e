import pytest

from runtime.call.voicemail.greetings import sounds_recorded


@pytest.mark.parametrize(
    "text",
    [
        "Hi, you have reached Ada. I can't come to the phone right now.",
        "Please leave a message after the tone.",
        "The person you are calling is not available",
        "Leave your name and number and I will get back to you",
        "Welcome to the voicemail of",
        "Bitte hinterlassen Sie eine Nachricht nach dem Signalton",
        "Der Teilnehmer ist zurzeit nicht erreichbar",
        "Deje su mensaje después de la señal",
        "Laissez un message après le bip sonore",
    ],
)
def test_a_machines_greeting_is_recognised(text: str) -> None:
    assert sounds_recorded(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello?",
        "Yes, this is Emma speaking, who is calling?",
        "Hi, I would like to book an appointment.",
        "I got your message yesterday.",
        "Can you call me back later? I am driving.",
        "Hallo, Schmidt.",
        "¿Diga?",
    ],
)
def test_a_person_is_no_machine(text: str) -> None:
    assert not sounds_recorded(text)
