"""Dependencies of routes: the application's gateways."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from control_plane.money.payments.gateways.installed import InstalledGateways


async def gateways_of(request: Request) -> InstalledGateways:
    gateways: InstalledGateways = request.app.state.gateways
    return gateways


AppGateways = Annotated[InstalledGateways, Depends(gateways_of)]
