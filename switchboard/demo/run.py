"""``switchboard demo``: starts everything, holds and bills a call, then shows and checks it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.text import Text

from switchboard.caller.job import Dial, PhoneLine
from switchboard.caller.placed_call import CALL_ADVICE
from switchboard.caller.report_view import ReportView
from switchboard.caller.reports import CallSummary, Connected, Finished
from switchboard.demo.account import (
    DemoAccount,
    caller_rules,
    create_account,
    is_usable,
    read_account,
    write_account,
)
from switchboard.demo.caller_process import CallerProcess
from switchboard.demo.checks import WEBHOOK_CLAIM, Check, checked, webhook_check
from switchboard.demo.evidence import Evidence, collect
from switchboard.demo.phone.carrier import DemoCarrier, demo_carrier
from switchboard.demo.phone.number import carriers_are_here, our_number
from switchboard.demo.record_view import show_checks, show_delivery, show_record
from switchboard.demo.webhook_inbox import (
    HOST,
    Verified,
    WebhookInbox,
    webhook_inbox,
    webhooks_may_reach,
)
from switchboard.problems import Problem, client_errors_as_problems, show_problem
from switchboard.progress import TerminalProgress
from switchboard.settings import Settings
from switchboard.state import read_secrets
from switchboard.system import AlreadyRunning, running_system
from switchboard.up import START_FAILURES, cancelled_by_signals
from switchboard_client import AsyncSwitchboard
from switchboard_client.webhooks import SignatureInvalid


@dataclass(frozen=True)
class DemoOptions:
    """``strict``: a latency above its target also fails the demo. ``by_phone``: the call comes over
    a carrier's wire."""

    settings: Settings
    exit_when_done: bool
    strict: bool = False
    by_phone: bool = False


@dataclass(frozen=True)
class _Switchboard:
    api_url: str
    operator_token: str
    is_ours: bool
    """Whether it ends with this process."""


def run_demo(options: DemoOptions) -> int:
    """Returns the exit code: 0 if the call was held and every check passed (without ``strict``, the
    checks of latency do not count), 130 after Ctrl-C before the end of the call, otherwise 1."""
    console = Console()
    try:
        with client_errors_as_problems(CALL_ADVICE):
            return asyncio.run(_demo(options, console))
    except Problem as problem:
        show_problem(console, problem)
    except START_FAILURES as failure:
        show_problem(console, Problem(str(failure)))
    return 1


async def _demo(options: DemoOptions, console: Console) -> int:
    exit_code = 130
    with cancelled_by_signals():
        try:
            exit_code = await _story(options, console)
        except asyncio.CancelledError:
            console.print("\nStopped.")
    return exit_code


async def _story(options: DemoOptions, console: Console) -> int:
    data_dir = options.settings.data_dir
    async with AsyncExitStack() as stack:
        console.print("[bold]Switchboard[/bold] [dim]starts on this machine[/dim]")
        log_path = data_dir / "logs" / "caller.log"
        caller = await stack.enter_async_context(CallerProcess.starting(caller_rules(), log_path))
        inbox = await stack.enter_async_context(webhook_inbox())
        settings, carrier = options.settings, None
        with ExitStack() as environment:
            environment.enter_context(webhooks_may_reach(HOST))
            if options.by_phone:
                carrier = await stack.enter_async_context(demo_carrier())
                settings = environment.enter_context(carriers_are_here(settings, carrier))
            switchboard = await stack.enter_async_context(_switchboard(settings, console))
        account = await _account(switchboard, data_dir, console)
        line = None
        if carrier is not None:
            line = await stack.enter_async_context(_phone_line(switchboard, account, carrier))
        with TerminalProgress(console).step("A caller, with its own voice and speech recognition"):
            await caller.prepared()
        try:
            passed = await _call(switchboard, account, caller, inbox, options, console, line)
        finally:
            # Before the servers, so that it can leave its call.
            await caller.stop()
        if not options.exit_when_done:
            await _stay(switchboard, account, console)
        return 0 if passed else 1


@asynccontextmanager
async def _switchboard(settings: Settings, console: Console) -> AsyncIterator[_Switchboard]:
    """The Switchboard that runs on this data directory, or else a new one for this block."""
    async with AsyncExitStack() as stack:
        try:
            system = await stack.enter_async_context(
                running_system(settings, TerminalProgress(console))
            )
        except AlreadyRunning as running:
            secrets = read_secrets(settings.data_dir)
            if running.state is None or secrets is None:
                raise
            console.print(f"  [green]✓[/green] Already running at {running.state.api_url}")
            yield _Switchboard(running.state.api_url, secrets.operator_token, is_ours=False)
        else:
            yield _Switchboard(system.api_url, system.operator_token, is_ours=True)


@asynccontextmanager
async def _phone_line(
    switchboard: _Switchboard, account: DemoAccount, carrier: DemoCarrier
) -> AsyncIterator[PhoneLine]:
    if not switchboard.is_ours:
        raise Problem(
            "The demo calls by phone only at a Switchboard that it has started itself.",
            "Stop the one that runs, or use another --data-dir.",
        )
    number = our_number(switchboard.api_url, switchboard.operator_token, account, carrier)
    async with number as line:
        yield line


async def _account(switchboard: _Switchboard, data_dir: Path, console: Console) -> DemoAccount:
    account = read_account(data_dir)
    if account and await is_usable(switchboard.api_url, account):
        return account
    with TerminalProgress(console).step("A demo account, its keys and a published agent"):
        account = await create_account(switchboard.api_url, switchboard.operator_token)
        write_account(data_dir, account)
    return account


async def _call(
    switchboard: _Switchboard,
    account: DemoAccount,
    caller: CallerProcess,
    inbox: WebhookInbox,
    options: DemoOptions,
    console: Console,
    line: PhoneLine | None,
) -> bool:
    async with AsyncSwitchboard(switchboard.api_url, account.secret_key) as api:
        before = await api.billing.balance()
        async with _webhook(api, inbox, switchboard):
            summary = await _follow(switchboard, account, caller, console, line)
            evidence = await collect(api, summary, before)
            told = await _told(inbox, switchboard, evidence)
    show_record(console, evidence)
    if told.delivery is not None:
        show_delivery(console, told.delivery)
    checks = [*checked(evidence), *told.checks]
    show_checks(console, checks)
    failed = [each for each in checks if not each.passed]
    defects = [each for each in failed if options.strict or not each.is_latency]
    console.print()
    if defects:
        reasons = "; ".join(f"{each.claim}: {each.detail}" for each in defects)
        show_problem(console, Problem(f"The demo failed. {reasons}"))
    elif any(each.was_measured for each in failed):
        console.print(
            "  [yellow]Everything is right, but not as fast as it should be[/yellow] "
            "[dim](a busy machine is slower; --strict makes this a failure)[/dim]"
        )
    elif failed:
        console.print(
            "  [green]Everything is right[/green], but this call did not allow to measure "
            "what is marked – [dim](--strict makes this a failure)[/dim]"
        )
    else:
        console.print("  [green]Everything is right.[/green]")
    return not defects


@asynccontextmanager
async def _webhook(
    api: AsyncSwitchboard, inbox: WebhookInbox, switchboard: _Switchboard
) -> AsyncIterator[None]:
    """A webhook that leads to ``inbox``, for the length of the block. A Switchboard that somebody
    else has started sends none to this machine."""
    if not switchboard.is_ours:
        yield
        return
    webhook = {
        "url": inbox.url,
        "events": ["call.completed"],
        "secret": inbox.secret,
        "redaction_level": "none",
    }
    webhook_id = (await api.webhooks.register(webhook)).id
    try:
        yield
    finally:
        await api.webhooks.remove(webhook_id)


@dataclass(frozen=True)
class _Told:
    delivery: Verified | None = None
    checks: tuple[Check, ...] = ()


async def _told(inbox: WebhookInbox, switchboard: _Switchboard, evidence: Evidence) -> _Told:
    """What the webhook has told of the call."""
    if not switchboard.is_ours:
        return _Told()
    try:
        delivery = await inbox.completed(str(evidence.call.id))
    except SignatureInvalid as wrong:
        return _Told(checks=(Check(WEBHOOK_CLAIM, False, str(wrong)),))
    return _Told(delivery, (webhook_check(evidence, delivery),))


async def _follow(
    switchboard: _Switchboard,
    account: DemoAccount,
    caller: CallerProcess,
    console: Console,
    line: PhoneLine | None,
) -> CallSummary:
    order = Dial(
        api_url=switchboard.api_url,
        api_key=account.secret_key,
        agent_id=account.agent_id,
        phone=line,
    )
    console.print()
    with ReportView(console) as view:
        async with contextlib.aclosing(caller.dial(order)) as reports:
            async for report in reports:
                view.show(report)
                if isinstance(report, Connected):
                    seconds = _since_start()
                    console.print(f"   [dim]{seconds:.1f} s after the command was given[/dim]\n")
                if isinstance(report, Finished):
                    return report.summary
    raise AssertionError("the reports of a call end with Finished")


async def _stay(switchboard: _Switchboard, account: DemoAccount, console: Console) -> None:
    address = f"{switchboard.api_url}/call?agent={account.agent_id}#key={account.publishable_key}"
    console.print()
    console.print("  [bold]Now you.[/bold] Talk to the same agent with your own microphone:")
    console.print()
    console.print(Text(f"  {address}", style="cyan underline"), soft_wrap=True)
    console.print()
    if not switchboard.is_ours:
        console.print("  [dim]Switchboard was running before and keeps running.[/dim]")
        return
    console.print("  [dim]Switchboard keeps running. Ctrl-C stops it.[/dim]")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        console.print("\nStopped.")


def _since_start() -> float:
    """Seconds since this process was started, including the start of the interpreter."""
    created_at: float = psutil.Process().create_time()
    return time.time() - created_at
