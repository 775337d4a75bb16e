"""``/v1/operator/tenants``: accounts are opened by whoever runs the installation."""

from __future__ import annotations

from fastapi import APIRouter, status

from control_plane.authentication.dependencies import AppSettings, OperatorSession
from control_plane.http.openapi import AUTHENTICATED, problems
from control_plane.tenants import service
from control_plane.tenants.schemas import TenantCreate, TenantCreated

router = APIRouter(prefix="/v1/operator", tags=["operator"], responses=problems(*AUTHENTICATED))


@router.post("/tenants", status_code=status.HTTP_201_CREATED)
async def create_tenant(
    wanted: TenantCreate, session: OperatorSession, settings: AppSettings
) -> TenantCreated:
    """Open an account: a tenant, its owner, a first secret key and the welcome credit."""
    return await service.create_tenant(
        session, wanted, welcome_credit_micros=settings.welcome_credit_micros
    )
