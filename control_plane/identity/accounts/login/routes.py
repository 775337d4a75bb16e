"""``/v1/auth``: sign-up, login, logout and password reset."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from fastapi import APIRouter, BackgroundTasks, Response, status

from control_plane.identity.accounts.confirmation import confirm_email
from control_plane.identity.accounts.dependencies import AppPasswords, PersonSession
from control_plane.identity.accounts.errors import (
    EmailTaken,
    ForeignOrigin,
    InvalidCredentials,
    InvalidToken,
    NoMembership,
    SignUpDisabled,
    TooManyAttempts,
)
from control_plane.identity.accounts.login.response import login_response
from control_plane.identity.accounts.login.service import log_in, prove_password
from control_plane.identity.accounts.login.sign_up import sign_up
from control_plane.identity.accounts.mails import (
    password_changed_mail,
    password_reset_mail,
)
from control_plane.identity.accounts.me import me_of_user
from control_plane.identity.accounts.passwords.changes import (
    RESET_LIFE,
    request_reset,
    reset_password,
)
from control_plane.identity.accounts.schemas import (
    EmailConfirmation,
    EmailConfirmed,
    LoggedIn,
    LoggedOut,
    Login,
    Me,
    PasswordResetConfirmation,
    PasswordResetRequest,
    PasswordResetRequested,
    PasswordSet,
    SignUp,
    TenantSwitch,
)
from control_plane.identity.accounts.sessions.browser import (
    BrowserOnOwnPage,
    ThisBrowser,
    give_device,
    take_session,
)
from control_plane.identity.accounts.sessions.repository import end_by_token, move_to_tenant
from control_plane.identity.accounts.tokens import csrf_token_of, hash_of
from control_plane.identity.accounts.welcome import AppWelcome
from control_plane.identity.authentication.dependencies import UserCaller
from control_plane.identity.authentication.refusals import USER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerStrangersKey
from control_plane.platform.audit.recording import record_change
from control_plane.platform.errors import DatabaseUnavailable, Unauthorized
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.mail.dependencies import AppMailer

router = APIRouter(prefix="/auth", route_class=IdempotentRoute)
_OPEN = (DatabaseUnavailable, ForeignOrigin, TooManyAttempts)


@router.post(
    "/sign-up",
    summary="Sign up",
    status_code=status.HTTP_201_CREATED,
    responses=problems(*_OPEN, SignUpDisabled, EmailTaken, IdempotencyKeyInUse),
)
async def sign_up_route(
    wanted: SignUp,
    browser: BrowserOnOwnPage,
    database: AppDatabase,
    passwords: AppPasswords,
    settings: AppSettings,
    mailer: AppMailer,
    welcome: AppWelcome,
    background: BackgroundTasks,
    response: Response,
    effect: EffectOncePerStrangersKey,
) -> LoggedIn:
    """Open an account: a tenant that you own. You are logged in to it.

    You get a mail with a token for `POST /v1/auth/confirm-email`. Until you have confirmed your
    mail address, your session can use only `/v1/me`, `/v1/auth` and `/v1/invitations/accept`; all
    else is 403 `email_not_confirmed`.

    Create an API key with `POST /v1/api-keys` when you need one. If you already have an account,
    send its mail address and password: the new tenant is added to that account.
    """
    completed = await sign_up(
        database, passwords, settings, browser, wanted, effect.id, welcome, datetime.now(UTC)
    )
    return await login_response(
        completed, browser, database, settings, mailer, background, response
    )


@router.post(
    "/confirm-email",
    summary="Confirm email",
    responses=problems(*_OPEN, InvalidToken, InvalidCredentials),
)
async def confirm(
    given: EmailConfirmation,
    browser: BrowserOnOwnPage,
    database: AppDatabase,
    passwords: AppPasswords,
    welcome: AppWelcome,
) -> EmailConfirmed:
    """Confirm your mail address with the token from the mail, and get the welcome credit if one
    waits for that. Confirming again changes nothing.

    Send the cookie of your session, or your password.
    """
    password = None if given.password is None else given.password.get_secret_value()
    was_posted = await confirm_email(
        database, passwords, browser, given.token, password, welcome, datetime.now(UTC)
    )
    return EmailConfirmed(welcome_credit_posted=was_posted)


@router.post("/login", responses=problems(*_OPEN, InvalidCredentials, Unauthorized, NoMembership))
async def login(
    given: Login,
    browser: BrowserOnOwnPage,
    database: AppDatabase,
    passwords: AppPasswords,
    settings: AppSettings,
    mailer: AppMailer,
    background: BackgroundTasks,
    response: Response,
) -> LoggedIn:
    """Start a dashboard session. You get a mail when a login comes from a new browser, and the mail
    with the token for `POST /v1/auth/confirm-email` if your address is not confirmed."""
    now = datetime.now(UTC)
    proof = await prove_password(
        database, passwords, browser, given.email, given.password.get_secret_value(), now
    )
    async with database.system_session() as session:
        completed = await log_in(
            session,
            browser,
            proof,
            given.tenant_id,
            ttl_seconds=settings.session_ttl_seconds,
            now=now,
        )
    return await login_response(
        completed, browser, database, settings, mailer, background, response
    )


@router.post("/logout", responses=problems(*USER_ONLY))
async def logout(
    caller: UserCaller,
    browser: ThisBrowser,
    session: PersonSession,
    settings: AppSettings,
    response: Response,
) -> LoggedOut:
    """End this session."""
    await end_by_token(session, hash_of(browser.session_token or ""))
    record_change(session, caller, "user.logged_out", target_id=caller.actor.id)
    take_session(response, is_https=settings.public_url.startswith("https:"))
    return LoggedOut()


@router.post("/switch-tenant", responses=problems(*USER_ONLY, NoMembership))
async def switch_tenant(
    wanted: TenantSwitch, caller: UserCaller, browser: ThisBrowser, session: PersonSession
) -> Me:
    """Switch this session to another of your tenants."""
    token, user_id = browser.session_token or "", caller.actor.id
    assert user_id is not None
    if not await move_to_tenant(session, user_id, hash_of(token), wanted.tenant_id):
        raise NoMembership("You are not a member of this tenant; GET /v1/me lists your tenants")
    if wanted.tenant_id != caller.tenant_id:
        record_change(
            session,
            replace(caller, tenant_id=wanted.tenant_id),
            "user.switched_tenant",
            target_id=user_id,
        )
    return await me_of_user(
        session, user_id, wanted.tenant_id, csrf_token=csrf_token_of(token, wanted.tenant_id)
    )


@router.post("/password-reset", status_code=status.HTTP_202_ACCEPTED, responses=problems(*_OPEN))
async def request_password_reset(
    wanted: PasswordResetRequest,
    browser: BrowserOnOwnPage,
    database: AppDatabase,
    settings: AppSettings,
    mailer: AppMailer,
    background: BackgroundTasks,
) -> PasswordResetRequested:
    """Get a mail with a token for setting a new password."""
    token = await request_reset(database, browser.origin, wanted.email, datetime.now(UTC))
    if token is not None:
        mail = password_reset_mail(
            wanted.email,
            token,
            public_url=settings.public_url,
            minutes=int(RESET_LIFE.total_seconds() // 60),
        )
        background.add_task(mailer.send, mail)
    return PasswordResetRequested(
        mail_enabled=mailer.sends_mail,
        message=(
            "If this address has an account, a mail with a token is on its way to it."
            if mailer.sends_mail
            else "This installation sends no mail. If this address has an account, the "
            "operator finds the mail with a token in the outbox folder."
        ),
    )


@router.post("/password-reset/confirm", responses=problems(*_OPEN[:2], InvalidToken))
async def confirm_password_reset(
    given: PasswordResetConfirmation,
    browser: BrowserOnOwnPage,
    database: AppDatabase,
    passwords: AppPasswords,
    settings: AppSettings,
    mailer: AppMailer,
    background: BackgroundTasks,
    response: Response,
    welcome: AppWelcome,
) -> PasswordSet:
    """Set a new password with the token. Every session of the account ends; log in again."""
    user, device_token = await reset_password(
        database,
        passwords,
        browser,
        given.token,
        given.password.get_secret_value(),
        welcome,
        datetime.now(UTC),
    )
    give_device(response, device_token, is_https=settings.public_url.startswith("https:"))
    mail = password_changed_mail(user.email, browser.origin, public_url=settings.public_url)
    background.add_task(mailer.send, mail)
    return PasswordSet()
