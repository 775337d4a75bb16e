"""Problems with tenants."""

from __future__ import annotations

from control_plane.platform.errors import NotFound


class TenantNotFound(NotFound):
    code = "tenant_not_found"
    title = "Tenant not found"
