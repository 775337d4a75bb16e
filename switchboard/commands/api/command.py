"""Turns a coroutine that uses the API into a command of the command line.

The coroutine takes a ``Session`` and the command's own parameters. The command takes those
parameters and the options that say which API to talk to, with which key, and how to print.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, get_type_hints

from switchboard.commands.options import ApiKey, ApiUrl, AsJson, DataDir


def api_command(
    *, with_json: bool = True
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Decorates a coroutine function, whose first parameter is the ``session``, so that typer can
    register it as a command.

    Args:
        with_json: whether the command has the option ``--json``.
    """

    def decorate(coroutine: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        @functools.wraps(coroutine)
        def command(
            *,
            api_url: str | None,
            api_key: str | None,
            data_dir: Path | None,
            as_json: bool = False,
            **parameters: Any,
        ) -> None:
            from switchboard.commands.api.session import run

            run(
                lambda session: coroutine(session, **parameters),
                api_url=api_url,
                api_key=api_key,
                data_dir=data_dir,
                as_json=as_json,
            )

        signature = _signature(coroutine, with_json=with_json)
        command.__signature__ = signature  # type: ignore[attr-defined]
        command.__annotations__ = {
            parameter.name: parameter.annotation for parameter in signature.parameters.values()
        }
        return command

    return decorate


def _signature(coroutine: Callable[..., Any], *, with_json: bool) -> inspect.Signature:
    """The coroutine's own parameters without the session, then the shared options."""
    # The session's type is imported for type checkers only, so that commands start fast.
    hints = get_type_hints(coroutine, localns={"Session": object}, include_extras=True)
    _session, *own = inspect.signature(coroutine).parameters.values()
    options: dict[str, Any] = {"api_url": ApiUrl, "api_key": ApiKey}
    if with_json:
        options["as_json"] = AsJson
    options["data_dir"] = DataDir
    return inspect.Signature(
        [
            *(each.replace(annotation=hints[each.name], kind=each.KEYWORD_ONLY) for each in own),
            *(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=False if name == "as_json" else None,
                    annotation=annotation,
                )
                for name, annotation in options.items()
            ),
        ]
    )
