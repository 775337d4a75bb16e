"""Dependencies of routes that send mail."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from control_plane.platform.mail.mailer import Mailer


async def mailer_of(request: Request) -> Mailer:
    mailer: Mailer = request.app.state.mailer
    return mailer


AppMailer = Annotated[Mailer, Depends(mailer_of)]
