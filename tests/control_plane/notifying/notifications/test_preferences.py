from __future__ import annotations

from control_plane.notifying.notifications.preferences import (
    SILENT,
    Choice,
    choice_of_member,
    choice_of_tenant,
)

MAILED, ONLY_SHOWN = "agent.failed", "agent.published"


def test_before_anybody_chooses_everything_is_shown_and_the_grave_is_mailed() -> None:
    assert choice_of_tenant(MAILED, SILENT) == Choice(True, True, False, False)
    assert choice_of_tenant(ONLY_SHOWN, SILENT) == Choice(True, False, False, False)


def test_the_tenants_choice_comes_before_the_default_channel_by_channel() -> None:
    assert choice_of_tenant(MAILED, Choice(email=False, webhook=True)) == Choice(
        True, False, False, True
    )


def test_a_members_choice_comes_before_the_tenants() -> None:
    chosen = choice_of_member(
        MAILED, Choice(in_app=False, email=True), Choice(email=False), administers=True
    )
    assert chosen == Choice(False, False, False, False)


def test_members_who_do_not_administer_get_mails_only_on_request() -> None:
    tenant = Choice(email=True)
    assert not choice_of_member(MAILED, tenant, SILENT, administers=False).wants("email")
    assert choice_of_member(MAILED, tenant, Choice(email=True), administers=False).wants("email")
