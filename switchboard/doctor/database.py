"""Whether your own database answers, and the logins that serve can do their work, and no more."""

from __future__ import annotations

from switchboard.doctor.finding import Finding, fail, ok, warn
from switchboard.services.postgres import APP_LOGIN, SYSTEM_LOGIN
from switchboard.settings import MissingSetting, Settings

_SUBJECT = "Database logins"
_HOW = "See docs/operator.md, “Database logins”."
_CONNECT_TIMEOUT_SECONDS = 3
_RIGHTS = """
    SELECT rolsuper OR rolbypassrls,
        EXISTS (
            SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            AND pg_has_role(session_user, relowner, 'MEMBER')
        ),
        EXISTS (
            SELECT FROM pg_roles AS role
            WHERE role.rolname = %s AND pg_has_role(session_user, role.oid, 'USAGE')
        )
    FROM pg_roles WHERE rolname = session_user
"""


def server(settings: Settings) -> list[Finding]:
    """Of your own database, as its owner connects to it, or else as requests do."""
    url = settings.database_url or settings.app_database_url
    if url is None:
        return []
    # The import takes a second, which only those pay who have a database of their own.
    import psycopg

    from control_plane.migrate import OLDEST_SERVER

    subject = "PostgreSQL version"
    try:
        with psycopg.connect(_plain(url), connect_timeout=_CONNECT_TIMEOUT_SECONDS) as connection:
            version = connection.info.server_version // 10_000
    except psycopg.Error as error:
        return [fail(subject, _no_connection(error), "Start it, or correct its address.")]
    if (version,) < OLDEST_SERVER:
        found = f"{version} is too old; {OLDEST_SERVER[0]} or newer is needed"
        return [fail(subject, found, "Upgrade the server at SWITCHBOARD_DATABASE_URL.")]
    return [ok(subject, str(version))]


def logins(settings: Settings) -> Finding:
    """Connects to your own database with each login that serves."""
    if settings.database_url is None and settings.app_database_url is None:
        return ok(_SUBJECT, "the embedded PostgreSQL has one for its owner and two that serve")
    try:
        app_url, system_url = settings.serving_urls()
    except MissingSetting as missing:
        return fail(_SUBJECT, str(missing), _HOW)
    if system_url is None:
        return warn(
            _SUBJECT,
            "one login owns the tables and serves: what breaks into a process can change the books",
            f"Set SWITCHBOARD_APP_DATABASE_URL and SWITCHBOARD_SYSTEM_DATABASE_URL. {_HOW}",
        )
    faults = [
        f"{name} {fault}"
        for name, url, role in (
            ("SWITCHBOARD_APP_DATABASE_URL", app_url, APP_LOGIN),
            ("SWITCHBOARD_SYSTEM_DATABASE_URL", system_url, SYSTEM_LOGIN),
        )
        if (fault := _fault(url, role)) is not None
    ]
    if faults:
        return fail(_SUBJECT, "; ".join(faults), f"Run `switchboard migrate`. {_HOW}")
    return ok(_SUBJECT, "requests and jobs have logins of their own, which own nothing")


def _fault(url: str, role: str) -> str | None:
    import psycopg

    try:
        with psycopg.connect(_plain(url), connect_timeout=_CONNECT_TIMEOUT_SECONDS) as connection:
            row = connection.execute(_RIGHTS, (role,)).fetchone()
    except psycopg.Error as error:
        return _no_connection(error)
    sees_everything, owns_tables, is_member = row or (False, False, False)
    if sees_everything:
        return "is a login that row-level security does not hold for"
    if owns_tables:
        return "is a login that owns tables"
    if not is_member:
        return f"is a login that is not a member of {role}, or does not inherit its rights"
    return None


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def _no_connection(error: Exception) -> str:
    return f"does not connect: {str(error).strip().splitlines()[0]}"
