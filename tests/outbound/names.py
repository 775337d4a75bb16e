"""A name server for tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address

from outbound.resolver import IpAddress


@dataclass
class FakeNames:
    """Answers each look-up with the next list of addresses, the last one from then on."""

    answers: tuple[tuple[str, ...], ...] = ((),)
    asked: list[str] = field(default_factory=list)

    async def resolve(self, host: str) -> tuple[IpAddress, ...]:
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(host)
        return tuple(ip_address(text) for text in answer)


async def no_answer_in_time(host: str) -> tuple[IpAddress, ...]:
    raise TimeoutError
