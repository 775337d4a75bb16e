from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from email.message import EmailMessage

import pytest
from fastapi import FastAPI

from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.identity.accounts.browsing import Browser, a_browser, mails_in


@pytest.fixture
async def browser(app: FastAPI) -> AsyncIterator[Browser]:
    async with a_browser(app) as browser:
        yield browser


@pytest.fixture
async def other_browser(app: FastAPI) -> AsyncIterator[Browser]:
    """Another device at another address."""
    async with a_browser(app, address="203.0.113.9") as browser:
        yield browser


@pytest.fixture
def outbox(settings: ControlPlaneSettings) -> Callable[[], list[EmailMessage]]:
    """The mails written so far, oldest first."""
    return lambda: mails_in(settings.mail_outbox_dir)
