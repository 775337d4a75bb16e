"""What the callers of a run notice, in slices of time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    """An answer of the agent to a line that the agent let the caller finish."""

    call_id: str
    at_ms: float
    """When its first sound came, from the first sound of the call on."""
    voice_to_voice_ms: float


@dataclass
class Heard:
    """By all callers, in one slice of time."""

    first_sample_ms: list[float] = field(default_factory=list)
    """From ``POST /v1/calls`` to the agent's first sound, in the order of the calls."""
    answers: list[Answer] = field(default_factory=list)
    barge_in_ms: list[float] = field(default_factory=list)
    """From a caller's first sound to the agent's last."""
    gaps_ms: list[float] = field(default_factory=list)
    """Between two packets, as the caller's kernel received them."""
    refused: int = 0
    """Calls that no worker took: they would have spoiled the others."""
    lost: int = 0
    """Calls that ended before their time."""
    unanswered: int = 0
    """Lines after which the agent said nothing for ``caller.PATIENCE_SECONDS``."""
    callers_lag_ms: list[float] = field(default_factory=list)
    """How late the callers' own event loop runs."""
    callers_cpu_seconds: float = 0.0
    seconds: float = 0.0


@dataclass
class Notebook:
    """Where all callers write. ``page`` is the slice of now."""

    page: Heard = field(default_factory=Heard)
    said: dict[str, list[str]] = field(default_factory=dict)
    """Lines by call, of the whole run."""

    def next_page(self) -> Heard:
        """The page that is finished."""
        finished, self.page = self.page, Heard()
        return finished

    def begin(self) -> None:
        """Of what came before, only how the calls began counts."""
        before = self.next_page()
        self.page.first_sample_ms = before.first_sample_ms
        self.page.refused, self.page.lost = before.refused, before.lost
