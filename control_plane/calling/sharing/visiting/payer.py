"""The tester's own account, which pays when the free minutes are used.

It is the account of the session's tenant. The invitation's address in the browser is not enough:
the person must read the mailbox that was invited, and may spend in that account.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from control_plane.calling.sharing.errors import PayerNotAllowed, ShareNotFound
from control_plane.calling.sharing.visiting.share import Share
from control_plane.identity.accounts import repository as accounts
from control_plane.identity.authentication.errors import RoleRequired
from control_plane.identity.tenants import repository as tenants
from control_plane.money.billing.repository import account_or_empty
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Caller


@dataclass(frozen=True)
class Payer:
    tenant_id: UUID
    name: str
    email: str
    spendable_micros: int


async def payer_of(database: Database, caller: Caller, share: Share) -> Payer:
    """
    Args:
        caller: by a session.

    Raises:
        ShareNotFound: it is a public link, whose visitors have no accounts.
        PayerNotAllowed: the person is not the one who was invited, or has not confirmed that mail
            address; or the account is that of the agent's owner.
        RoleRequired: the person may not spend in this account.
    """
    if share.email is None:
        raise ShareNotFound("Only an invited tester can pay for calls")
    async with database.system_session() as session:
        assert caller.actor.id is not None, "a session has a user"
        user = await accounts.find(session, caller.actor.id)
    if user is None or user.email_confirmed_at is None or user.email != share.email:
        raise PayerNotAllowed(
            "Sign in with the mail address to which the invitation was sent, confirmed by mail"
        )
    if caller.tenant_id == share.tenant_id:
        raise PayerNotAllowed(
            "This is the account that the agent belongs to: give the tester minutes, or sign in to "
            "another account"
        )
    if not caller.may_administer:
        raise RoleRequired(
            "Only an owner or admin spends in this account; ask one of them, or open an account of "
            "your own"
        )
    async with database.tenant_session(caller.tenant_id) as session:
        tenant = await tenants.get(session, caller.tenant_id)
        account = await account_or_empty(session, caller.tenant_id)
    return Payer(caller.tenant_id, tenant.name, user.email, account.spendable_micros)
