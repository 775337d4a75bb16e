"""``switchboard up``: start everything, print its address, run until stopped."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from switchboard.command_name import command_name
from switchboard.listening import NoPort
from switchboard.own_account import read_own_account
from switchboard.package_settings import OUTBOX
from switchboard.progress import TerminalProgress
from switchboard.services.embedded_server import ServerDidNotStart
from switchboard.services.postgres import PostgresNotInstalled, PostgresSetupFailed
from switchboard.services.reachable import NoReachableDirectory
from switchboard.services.valkey import ValkeyNotInstalled
from switchboard.settings import Settings
from switchboard.shown_mails import show_mails
from switchboard.state import SecretsDamaged
from switchboard.supervision.child import ChildFailed
from switchboard.system import AlreadyRunning, MigrationFailed, running_system

START_FAILURES = (
    AlreadyRunning,
    ChildFailed,
    MigrationFailed,
    NoPort,
    NoReachableDirectory,
    PostgresNotInstalled,
    PostgresSetupFailed,
    SecretsDamaged,
    ServerDidNotStart,
    ValkeyNotInstalled,
)
"""What ``running_system`` raises when it cannot start. The messages are written for people."""


def run_up(settings: Settings, console: Console, *, open_console: bool = False) -> int:
    """Run until Ctrl-C or SIGTERM. Returns the exit code: 1 when it could not be started, 0 also
    when it runs already."""
    try:
        asyncio.run(_up(settings, console, open_console=open_console))
    except AlreadyRunning as running:
        console.print(f"{running}.", highlight=False, soft_wrap=True)
        if open_console and running.state:
            show_in_browser(running.state.api_url, console)
        return 0 if running.state else 1
    except START_FAILURES as failure:
        console.print(Text(str(failure), style="red"))
        return 1
    return 0


async def _up(settings: Settings, console: Console, *, open_console: bool) -> None:
    started_at = time.monotonic()
    stopping = asyncio.Event()
    with cancelled_by_signals():
        try:
            async with running_system(settings, TerminalProgress(console)) as system:
                seconds = time.monotonic() - started_at
                console.print(
                    f"[bold]Switchboard runs at {system.api_url}[/bold] "
                    f"[dim](started in {seconds:.1f} s; logs in {system.data_dir / 'logs'}; "
                    f"Ctrl-C stops it)[/dim]",
                    highlight=False,
                    soft_wrap=True,
                )
                _show_first_step(system.data_dir, console)
                if open_console:
                    await asyncio.to_thread(show_in_browser, system.api_url, console)
                if settings.smtp_host is None:
                    await show_mails(system.data_dir / OUTBOX, console, system.api_url)
                await stopping.wait()
        except asyncio.CancelledError:
            console.print("Stopped.")


def _show_first_step(data_dir: Path, console: Console) -> None:
    """On fresh data: how to get an account without the page."""
    from switchboard.demo.account import read_account

    if read_own_account(data_dir) is None and read_account(data_dir) is None:
        console.print(
            "No account yet. Open one at that address, or in another terminal:  "
            f"{command_name()} account create",
            highlight=False,
            soft_wrap=True,
        )


def show_in_browser(
    url: str, console: Console, browser: Callable[[str], bool] = webbrowser.open
) -> None:
    """``browser``: opens an address, and returns whether it could."""
    if not browser(url):
        console.print(
            f"No browser was found here. Open {url} in one.", highlight=False, soft_wrap=True
        )


@contextlib.contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP cancel the current task. More signals do not disturb the stop that
    follows, which takes at most three seconds."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    asked: list[signal.Signals] = []

    def cancel(received: signal.Signals) -> None:
        if not asked:
            task.cancel()
        asked.append(received)

    handled = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in handled:
        loop.add_signal_handler(number, cancel, number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
