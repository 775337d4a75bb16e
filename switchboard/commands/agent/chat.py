"""``switchboard agents chat``: talks to an agent in text."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from switchboard.problems import Problem

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import ChatMessageView

_PROMPT = "you    "
_AGENT = "agent  "


async def chat(
    session: Session,
    agent_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the agent.")],
    say: Annotated[
        list[str] | None,
        typer.Option(help="Say this instead of reading what you type. Can be repeated."),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="The agent as it was last saved, published or not.")
    ] = False,
    locale: Annotated[
        str | None, typer.Option(help="One of the agent's languages.", show_default=False)
    ] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A variable of the chat. Can be repeated."),
    ] = None,
    run_tools: Annotated[
        bool, typer.Option("--run-tools", help="Call the agent's webhooks for real.")
    ] = False,
) -> None:
    """Talk to an agent in text: the same agent, at once and free.

    Without --say it reads what you type, a line at a time. Ctrl-D ends it.
    """
    wanted: dict[str, Any] = {
        "version": "draft" if draft else "published",
        "variables": _variables(variable or ()),
        "run_tools": run_tools,
    }
    agents = session.client.agents
    begun = await agents.begin_chat(agent_id, wanted | ({"locale": locale} if locale else {}))
    chat_id = str(begun.id)
    for warning in begun.warnings:
        session.notes.print(Text(f"! {warning}", style="yellow"), soft_wrap=True)
    for message in begun.messages:
        _show(session, message)
    async for line in _lines(session, say):
        if say and not session.as_json:
            session.console.print(Text(f"{_PROMPT}{line}"), soft_wrap=True)
        answer = await agents.say(agent_id, chat_id, line)
        _show(session, answer.reply)
        if answer.session.status == "ended":
            session.notes.print("The agent has ended the chat.", style="dim")
            break
    if session.as_json:
        from switchboard.commands.api.session import document_of

        session.print_json(document_of(await agents.show_chat(agent_id, chat_id)))


async def _lines(session: Session, say: Sequence[str] | None) -> AsyncIterator[str]:
    """What the person says: the lines given, or those typed until the input ends."""
    if say:
        for line in say:
            yield line
        return
    while True:
        session.notes.print(_PROMPT, end="")
        line = await _typed_line()
        if not line:
            return
        if line.strip():
            yield line.strip()


async def _typed_line() -> str:
    """The next line of the input; empty at its end. At a terminal no thread waits for it, because
    Ctrl-C could not end that."""
    if sys.stdin.isatty():
        loop, is_typed = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(sys.stdin, is_typed.set)
        try:
            await is_typed.wait()
        finally:
            loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


def _show(session: Session, message: ChatMessageView) -> None:
    if session.as_json:
        return
    for use in message.tools:
        done = {"would_call": "would call", "done": "called", "failed": "failed to call"}
        told = f"{_AGENT}({done.get(use.outcome, use.outcome)} {use.name} {use.arguments})"
        session.console.print(Text(told, style="dim"), soft_wrap=True)
    if message.text:
        session.console.print(Text(f"{_AGENT}{message.text}"), soft_wrap=True)


def _variables(given: Sequence[str]) -> dict[str, str]:
    """
    Raises:
        Problem: one is not written as ``NAME=VALUE``.
    """
    variables = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not name.strip() or not equals:
            raise Problem(f"--variable {each} is not written as NAME=VALUE.")
        variables[name.strip()] = value
    return variables
