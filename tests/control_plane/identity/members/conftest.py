from __future__ import annotations

from tests.control_plane.identity.accounts.conftest import browser, other_browser, outbox

__all__ = ["browser", "other_browser", "outbox"]
