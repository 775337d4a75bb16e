"""The vendors of realtime models, for tests of what holds with all of them."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from contracts.call_plan import ProviderChoice
from tests.faults.cells import RealtimeColumn
from tests.outbound.self_signed import self_signed_certificate
from tests.pipelines.engine.channels.realtime.realtime_call import GOOGLE, OPENAI
from tests.stand_ins.google_live import GoogleLiveServer
from tests.stand_ins.openai_realtime import OpenAIRealtime

Name = Literal["openai", "google"]
NAMES: tuple[Name, ...] = ("openai", "google")


@dataclass(frozen=True)
class RealtimeVendor:
    choice: ProviderChoice
    served: ssl.SSLContext | None = None
    trusted: ssl.SSLContext | None = None

    @property
    def column(self) -> RealtimeColumn:
        """Of docs/faults.md."""
        return "realtime" if self.choice.provider == "openai" else "realtime google"

    @property
    def name(self) -> str:
        return f"{self.choice.provider}/{self.choice.model}"

    def server(self, *args: Any, **options: Any) -> OpenAIRealtime | GoogleLiveServer:
        """
        Args:
            args, options: what its stand-in takes: replies, the caller's words and faults.
        """
        if self.served is None:
            return OpenAIRealtime(*args, **options)
        return GoogleLiveServer(self.served, *args, **options)


def vendor(name: Name, directory: Path) -> RealtimeVendor:
    if name == "openai":
        return RealtimeVendor(OPENAI)
    return RealtimeVendor(GOOGLE, *self_signed_certificate(directory, "127.0.0.1"))
