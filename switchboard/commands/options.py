"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None,
    typer.Option(help="Databases, logs and secrets. Default: .switchboard", show_default=False),
]
ApiUrl = Annotated[
    str | None,
    typer.Option(help="Address of the API. Default: the one running here.", show_default=False),
]
ApiKey = Annotated[
    str | None,
    typer.Option(
        envvar="SWITCHBOARD_API_KEY",
        help="A secret key of the tenant. Default: that of the account opened here.",
        show_envvar=True,
    ),
]
OperatorToken = Annotated[
    str | None,
    typer.Option(
        envvar="SWITCHBOARD_OPERATOR_TOKEN",
        help="Default: that of the Switchboard that runs here.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the API's answer, for programs.")]
Offset = Annotated[int, typer.Option(min=0, help="How many to skip.")]
Port = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65535,
        help="Port of the API. Default: 8080, or the next free one when it is in use.",
        show_default=False,
    ),
]
