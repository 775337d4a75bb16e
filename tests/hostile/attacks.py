"""What a hostile tenant and a hostile caller do, each at a bounded rate, in a process of its own.

python -m tests.hostile.attacks SECONDS [NAME …], with the target as JSON on standard input
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import asdict, dataclass

import httpx2

from tests.hostile.api_attacks import ApiAttacks
from tests.hostile.caller_attacks import CallerAttacks
from tests.hostile.connection_attacks import ConnectionAttacks
from tests.hostile.target import Target


@dataclass(frozen=True)
class Attack:
    """One method of ``ApiAttacks``, ``ConnectionAttacks`` or ``CallerAttacks``.

    Args:
        expected: an answer that shows that the attack reaches what it attacks, and that it is
            fended off.
        pause_seconds: between two of them.
        needs_seconds: until the expected answer can have come.
    """

    expected: str
    at_once: int = 1
    pause_seconds: float = 1.0
    needs_seconds: float = 0.0


ATTACKS: Mapping[str, Attack] = {
    "save_schema_bomb": Attack("400", pause_seconds=0.5),
    "bring_schema_bomb": Attack("400", pause_seconds=0.5),
    "bring_schema_bomb_from_a_page": Attack("403", pause_seconds=0.5),
    "save_slow_schema": Attack("400", pause_seconds=2.0),
    "apply_costly_schema": Attack("refused, 202 for another try", needs_seconds=30),
    "save_endless_list": Attack("400", pause_seconds=3.0),
    "save_odd_template": Attack("201"),
    "save_slow_name": Attack("400", at_once=30, pause_seconds=0.5),
    "mail_encoded_words": Attack("201", pause_seconds=2.0),
    "prepare_account": Attack("403", pause_seconds=2.0),
    "ask_as_another_host": Attack("421", pause_seconds=0.2),
    "generate_agents": Attack("spending_limited", at_once=4, pause_seconds=0.2, needs_seconds=90),
    "chat_without_end": Attack("spending_limited", at_once=4, pause_seconds=0.1, needs_seconds=90),
    "reprocess_without_end": Attack("analysis_under_way", at_once=4, pause_seconds=0.2),
    "open_call": Attack("429", pause_seconds=0.05),
    "guess_operator_token": Attack("429", pause_seconds=0.1),
    "guess_password": Attack("429", pause_seconds=0.2),
    "open_stream": Attack("closed"),
    "send_many_candidates": Attack("201", pause_seconds=0.2),
    "offer_at_once": Attack("201 and 400", pause_seconds=0.5),
    "send_noise": Attack("sent", pause_seconds=0.1),
    "be_a_caller": Attack("stayed to the end", needs_seconds=20),
    "finish_no_message": Attack("stayed to the end", needs_seconds=30),
    "hold_connection": Attack("closed after 10 s", at_once=100, needs_seconds=12),
    "send_half_a_body": Attack("408 after 30 s", at_once=50, needs_seconds=35),
    "stay_idle": Attack("closed after 75 s", at_once=50, needs_seconds=80),
    "frame_a_body_twice": Attack("400", pause_seconds=0.2),
}

LOADING: Mapping[str, Attack] = {"take_a_slot": Attack("", at_once=16)}
"""Before the attack, so that a worker has had as many calls at once as it takes: its heap grows
with them, and never shrinks."""
_KNOWN = {**ATTACKS, **LOADING}


class Attackers:
    """Counts how each attack was answered."""

    def __init__(self, target: Target) -> None:
        self.answers: Counter[str] = Counter()
        self._http = httpx2.AsyncClient(base_url=target.url, timeout=30)
        self._kinds = (
            ApiAttacks(target, self._http),
            ConnectionAttacks(target),
            CallerAttacks(target, self._http),
        )

    async def run(self, seconds: float, names: Collection[str]) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for name in names:
                    for _ in range(_KNOWN[name].at_once):
                        group.create_task(self._repeat(name))
        await self._http.aclose()

    async def _repeat(self, name: str) -> None:
        act = self._act(name)
        while True:
            try:
                result = await act()
            except (httpx2.HTTPError, OSError) as error:
                result = type(error).__name__
            except Exception as error:  # noqa: BLE001 - an attack goes on, whatever it meets
                result = f"{type(error).__name__}"
            self.answers[f"{name} {result}"] += 1
            await asyncio.sleep(_KNOWN[name].pause_seconds)

    def _act(self, name: str) -> Callable[[], Awaitable[object]]:
        kind = next(kind for kind in self._kinds if hasattr(kind, name))
        act: Callable[[], Awaitable[object]] = getattr(kind, name)
        return act


def target_as_json(target: Target) -> str:
    return json.dumps(asdict(target))


def main() -> None:
    attackers = Attackers(Target(**json.loads(sys.stdin.read())))
    asyncio.run(attackers.run(float(sys.argv[1]), sys.argv[2:] or ATTACKS))
    sys.stdout.write(json.dumps(attackers.answers))


if __name__ == "__main__":
    main()
