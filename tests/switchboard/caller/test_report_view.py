import io

from rich.console import Console

from contracts.events import Speaker
from contracts.live_messages import LiveTranscript
from switchboard.caller.report_view import ReportView
from switchboard.caller.reports import AgentAudible, ConnectionChanged, Live, Report, Saying


def shown(*reports: Report) -> list[str]:
    output = io.StringIO()
    with ReportView(Console(file=output, width=100)) as view:
        for report in reports:
            view.show(report)
    return [" ".join(line.split()) for line in output.getvalue().splitlines()]


def transcript(
    text: str, *, is_final: bool = True, speaker: Speaker = "agent", at_ms: int = 61_000
) -> Live:
    return Live(
        body=LiveTranscript(utterance=1, speaker=speaker, text=text, is_final=is_final, at_ms=at_ms)
    )


def test_an_utterance_is_printed_once_with_the_time_at_which_it_began() -> None:
    grown = [
        transcript("Good", is_final=False, at_ms=61_000),
        transcript("Good morning.", at_ms=64_000),
    ]
    assert shown(*grown) == ["1:01 agent Good morning."]


def test_a_latency_stands_with_the_agents_next_utterance_only() -> None:
    lines = shown(
        AgentAudible(at_seconds=61.0, latency_ms=512.4),
        transcript("Hello.", speaker="user"),
        transcript("Certainly."),
        transcript("And another thing."),
    )
    assert lines == [
        "1:01 caller Hello.",
        "1:01 agent 512 ms Certainly.",
        "1:01 agent And another thing.",
    ]


def test_an_interruption_is_shown_and_an_ordinary_line_is_not_said_twice() -> None:
    assert shown(
        Saying(at_seconds=1.0, text="Wait.", is_interruption=True),
        Saying(at_seconds=2.0, text="Hello.", is_interruption=False),
    ) == ["the caller cuts in …"]


def test_what_the_room_tells_again_after_a_reconnection_is_not_printed_again() -> None:
    assert shown(
        transcript("Good morning."),
        ConnectionChanged(state="reconnecting"),
        ConnectionChanged(state="connected"),
        transcript("Good morning."),
        transcript("Where were we?"),
    ) == [
        "1:01 agent Good morning.",
        "Reconnecting …",
        "Connected again",
        "1:01 agent Where were we?",
    ]
