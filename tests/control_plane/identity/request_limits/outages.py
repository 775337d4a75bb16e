"""Ways in which Valkey can fail."""

from __future__ import annotations

from tests.runtime.valkey_process import ValkeyProcess


async def interrupt(valkey: ValkeyProcess, outage: str) -> None:
    """``killed``: connections are refused. ``hanging``: they stay open, and nothing is answered."""
    if outage == "killed":
        await valkey.kill()
    else:
        valkey.hang()


async def recover(valkey: ValkeyProcess, outage: str) -> None:
    if outage == "killed":
        await valkey.start()
    else:
        valkey.go_on()
