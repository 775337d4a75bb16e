"""Whether phone carriers can reach this installation, and whether it can use their APIs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount, voice_url
from contracts.sealing import CannotOpen, Sealer, bridge_key
from contracts.versions import read_json
from switchboard.doctor.finding import Finding, ok, warn
from switchboard.package_settings import carrier_settings
from switchboard.settings import Settings
from switchboard.state import read_secrets

_ADDRESS, _WEBHOOKS, _CARRIERS = "Phone address", "Phone webhooks", "Carriers"
_SECONDS = 5.0
_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def phones(settings: Settings) -> list[Finding]:
    """Nothing if neither an address for carriers is set nor an account is connected."""
    accounts = list(_accounts(settings))
    url = settings.bridge_public_url
    if url is None and not accounts:
        return []
    if url is None:
        return [
            warn(
                _ADDRESS,
                f"{_count(accounts)} connected, but carriers have no address to call",
                "Set SWITCHBOARD_BRIDGE_PUBLIC_URL to the address under which the internet reaches "
                "the telephony bridge (docs/phones.md).",
            ),
            *_asked(settings, accounts),
        ]
    return [_address(url), _webhooks(url.rstrip("/"), accounts), *_asked(settings, accounts)]


def _count(accounts: list[CarrierAccount]) -> str:
    return f"{len(accounts)} carrier account{'' if len(accounts) == 1 else 's'}"


def _address(url: str) -> Finding:
    parts = urlsplit(url)
    if parts.hostname in _LOCAL:
        return warn(
            _ADDRESS,
            f"{url} is this machine only",
            "Carriers call from the internet: set SWITCHBOARD_BRIDGE_PUBLIC_URL to a public "
            "address, or use a tunnel.",
        )
    if parts.scheme != "https":
        return warn(
            _ADDRESS,
            f"{url} has no TLS",
            "Carriers open media sockets with wss:// only: put a proxy with TLS in front of the "
            "bridge, and set SWITCHBOARD_BRIDGE_PUBLIC_URL to its https:// address.",
        )
    return ok(_ADDRESS, url)


def _webhooks(url: str, accounts: list[CarrierAccount]) -> Finding:
    """A webhook without a signature must be refused, by the bridge itself."""
    import httpx2

    remedy = (
        "Check that the bridge runs (`switchboard up`), and that your proxy sends this address to "
        "its port (SWITCHBOARD_BRIDGE_PORT)."
    )
    place = voice_url(url, accounts[0].provider, accounts[0].account_id) if accounts else url
    try:
        with httpx2.Client(timeout=_SECONDS, follow_redirects=False) as http:
            status = http.post(place).status_code
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return warn(_WEBHOOKS, f"{place} does not answer ({type(error).__name__})", remedy)
    if not accounts:
        if status == 404:
            return ok(_WEBHOOKS, f"{url} answers")
        return warn(_WEBHOOKS, f"{url} answers {status}, which the bridge does not", remedy)
    if status in _refused_with(accounts[0]):
        return ok(_WEBHOOKS, f"{place} answers, and refuses a request without a signature")
    return warn(_WEBHOOKS, f"{place} answers a request without a signature with {status}", remedy)


def _refused_with(account: CarrierAccount) -> tuple[int, ...]:
    from carriers.registry import carrier_named

    spec = carrier_named(account.provider)
    return () if spec is None else (spec.refused_status,)


def _asked(settings: Settings, accounts: list[CarrierAccount]) -> Iterator[Finding]:
    """What each carrier says of the credentials."""
    secret = _secret(settings)
    if accounts and secret is None:
        yield warn(
            _CARRIERS,
            f"{_count(accounts)} connected, but there is no secret key to open them",
            "Set SWITCHBOARD_SECRET_KEY as the API has it.",
        )
    elif accounts and secret is not None:
        for account, problem in asyncio.run(_verified(settings, accounts, secret)):
            name = f"{account.provider} {account.account_id}"
            if problem is None:
                yield ok(_CARRIERS, f"{name}: the carrier accepts the credentials")
            else:
                yield warn(
                    _CARRIERS,
                    f"{name}: {problem}",
                    "Correct the account: PATCH /v1/carriers/{id}, then verify it.",
                )


async def _verified(
    settings: Settings, accounts: list[CarrierAccount], secret: str
) -> list[tuple[CarrierAccount, str | None]]:
    from pydantic import ValidationError

    from carriers.account import read_credentials
    from carriers.api import CarrierProblem
    from carriers.registry import carrier_of
    from carriers.rest import carrier_client

    sealer = Sealer([bridge_key(secret)])
    carriers = carrier_settings(settings)

    async def problem_of(account: CarrierAccount) -> str | None:
        try:
            credentials = read_credentials(json.loads(sealer.open(account.sealed_credentials)))
            api = carrier_of(credentials.provider).api(credentials, carriers, client)
            await api.verify()
        except CannotOpen:
            return "its credentials are sealed with another secret key"
        except ValidationError:
            return "its credentials are incomplete"
        except CarrierProblem as problem:
            return problem.message
        return None

    async with carrier_client() as client:
        problems = await asyncio.gather(*(problem_of(account) for account in accounts))
    return list(zip(accounts, problems, strict=True))


def _secret(settings: Settings) -> str | None:
    secrets = read_secrets(settings.data_dir)
    return settings.secret_key or (None if secrets is None else secrets.secret_key)


def _accounts(settings: Settings) -> Iterator[CarrierAccount]:
    """As the bridges know them. None if Redis does not answer."""
    from pydantic import ValidationError
    from redis import Redis
    from redis.exceptions import RedisError

    secrets = read_secrets(settings.data_dir)
    url = settings.redis_url or (None if secrets is None else secrets.redis_url)
    if url is None:
        return
    try:
        with Redis.from_url(
            url,
            socket_connect_timeout=_SECONDS,
            socket_timeout=_SECONDS,
            decode_responses=True,
        ) as redis:
            documents = redis.hgetall(redis_names.CARRIER_ACCOUNTS)
    except (RedisError, OSError, ValueError):
        return
    for _, document in sorted(documents.items()):
        try:
            yield read_json(CarrierAccount, document)
        except ValidationError:
            continue
