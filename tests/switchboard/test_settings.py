from __future__ import annotations

import socket
from uuid import UUID

import pytest
from pydantic import ValidationError

from control_plane.platform.settings import UNLIMITED_CREDIT_MICROS
from pipelines.settings import VENDOR_BASE_URLS
from switchboard.package_settings import (
    control_plane_settings,
    provider_settings,
    telemetry_options,
    worker_settings,
)
from switchboard.settings import Settings


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DEEPGRAM_API_KEY", "SWITCHBOARD_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_addresses_of_hosting_services_get_our_driver(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.setenv("SWITCHBOARD_DATABASE_URL", f"{scheme}://u:p@db/name")
    assert Settings().database_url == "postgresql+psycopg://u:p@db/name"


def test_a_vendors_own_variable_is_read_and_ours_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert Settings().openai_api_key == "theirs"
    monkeypatch.setenv("SWITCHBOARD_OPENAI_API_KEY", "ours")
    assert Settings().openai_api_key == "ours"
    assert Settings().provider_keys == {"openai"}


def test_a_server_of_ones_own_counts_with_its_address_not_its_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", "k")
    assert Settings().provider_keys == frozenset()
    monkeypatch.setenv("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:11434/v1")
    assert Settings().provider_keys == {"openai_compatible"}
    assert (
        provider_settings(Settings()).base_url("openai_compatible") == "http://127.0.0.1:11434/v1"
    )


def test_the_welcome_credit_may_be_unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_WELCOME_CREDIT_MICROS", "unlimited")
    assert Settings().welcome_credit_micros == UNLIMITED_CREDIT_MICROS
    monkeypatch.setenv("SWITCHBOARD_WELCOME_CREDIT_MICROS", "5")
    assert Settings().welcome_credit_micros == 5


def test_an_empty_key_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPGRAM_API_KEY", "")
    assert Settings().provider_keys == frozenset()


@pytest.mark.parametrize(
    "variable",
    ["SWITCHBOARD_SMTP_HOST", "OTEL_EXPORTER_OTLP_ENDPOINT", "SWITCHBOARD_BRIDGE_PUBLIC_URL"],
)
def test_an_empty_variable_counts_as_not_set(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "")
    settings = Settings(
        database_url="postgresql://db", redis_url="redis://here", secret_key="s" * 32
    )
    control_plane = control_plane_settings(settings)
    assert control_plane.smtp is None
    assert not control_plane.dialing.has_phones
    assert telemetry_options(settings).otlp_endpoint is None


def test_an_empty_number_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_REDIS_URL", "redis://here")
    expected = worker_settings(Settings()).drain_timeout_seconds
    monkeypatch.setenv("SWITCHBOARD_DRAIN_TIMEOUT_SECONDS", "")
    assert worker_settings(Settings()).drain_timeout_seconds == expected


def test_an_empty_worker_id_is_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_WORKER_ID", "")
    assert Settings().worker_id.startswith(socket.gethostname())


def test_the_ports_and_addresses_of_media(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_REDIS_URL", "redis://here")
    monkeypatch.setenv("SWITCHBOARD_MEDIA_PORTS", "40000-40999")
    monkeypatch.setenv("SWITCHBOARD_MEDIA_ADDRESSES", "203.0.113.9, 2001:DB8::9")
    network = worker_settings(Settings()).media_network(UUID(int=7), 0.0)
    assert str(network.ports) == "40000-40999"
    assert network.advertised_addresses == ("203.0.113.9", "2001:db8::9")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SWITCHBOARD_MEDIA_PORTS", "40000", "for example 40000-40999"),
        ("SWITCHBOARD_MEDIA_ADDRESSES", "media.example.com", "IPv4 or IPv6 address"),
    ],
)
def test_ports_and_addresses_that_are_none_are_refused_at_the_start(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError, match=message):
        Settings()


def test_ice_servers_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_TURN_SECRET", "shared-with-coturn")
    monkeypatch.setenv("SWITCHBOARD_ICE_SERVERS", "stun:a:3478, turn:b:3478,")
    assert Settings().ice_servers == ("stun:a:3478", "turn:b:3478")


def test_a_program_on_this_machine_is_a_trusted_proxy_unless_others_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SWITCHBOARD_TRUSTED_PROXIES", raising=False)
    assert Settings().trusted_proxies == ("127.0.0.1", "::1")
    monkeypatch.setenv("SWITCHBOARD_TRUSTED_PROXIES", "10.0.0.0/8, 2001:db8::1")
    assert Settings().trusted_proxies == ("10.0.0.0/8", "2001:db8::1")
    monkeypatch.setenv("SWITCHBOARD_TRUSTED_PROXIES", "")
    assert Settings().trusted_proxies == ()


def test_a_proxy_has_an_address_and_no_name() -> None:
    with pytest.raises(ValidationError, match="does not appear to be"):
        Settings(trusted_proxies=("caddy",))


def test_a_public_url_loses_its_trailing_slash() -> None:
    assert Settings(public_url="https://voice.example/").api_url == "https://voice.example"


def test_without_a_public_url_the_loopback_is_named() -> None:
    assert Settings(host="0.0.0.0", port=9000).api_url == "http://127.0.0.1:9000"


@pytest.mark.parametrize(("host", "written"), [("::", "[::1]"), ("fd00::2", "[fd00::2]")])
def test_an_ipv6_address_is_written_in_brackets(host: str, written: str) -> None:
    assert Settings(host=host, port=9000).api_url == f"http://{written}:9000"


def test_a_port_out_of_range_is_refused() -> None:
    with pytest.raises(ValidationError):
        Settings(port=70000)


def test_each_start_of_a_worker_has_an_id_of_its_own() -> None:
    first, second = Settings().worker_id, Settings().worker_id
    assert first != second
    assert first.startswith(socket.gethostname())


def test_secrets_are_not_shown() -> None:
    shown = repr(Settings(secret_key="hidden-1" * 4, operator_token="hidden-2"))
    assert "hidden" not in shown


def test_no_secret_of_a_gateway_or_of_a_login_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from the environment, and are kept nowhere else."""
    names = (
        "stripe_secret_key",
        "stripe_webhook_secret",
        "razorpay_key_secret",
        "razorpay_webhook_secret",
    )
    for name in names:
        monkeypatch.setenv(f"SWITCHBOARD_{name.upper()}", f"hidden-{name}")
    settings = Settings(
        database_url="postgresql://login:hidden@db/name",
        redis_url="redis://:hidden@here",
        secret_key="hidden-1" * 4,
    )
    of_control_plane = control_plane_settings(settings)
    assert [getattr(of_control_plane, name) for name in names] == [
        f"hidden-{name}" for name in names
    ]
    for each in (settings, of_control_plane):
        assert "hidden" not in f"{each!r} {each!s}"


def test_every_provider_s_key_and_address_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VENDOR_BASE_URLS:
        monkeypatch.setenv(f"{name.upper()}_API_KEY", f"key-of-{name}")
        monkeypatch.setenv(f"{name.upper()}_BASE_URL", f"http://{name}.test")
    providers = provider_settings(Settings())
    assert providers.api_keys == {name: f"key-of-{name}" for name in VENDOR_BASE_URLS}
    assert providers.base_urls == {name: f"http://{name}.test" for name in VENDOR_BASE_URLS}
    assert Settings().provider_keys == set(VENDOR_BASE_URLS)
    assert "key-of" not in repr(Settings())


@pytest.mark.parametrize("networks", ["10.0.0.1/8", "10.0.0.0/16,intranet"])
def test_a_malformed_network_is_refused_when_the_settings_are_read(
    monkeypatch: pytest.MonkeyPatch, networks: str
) -> None:
    monkeypatch.setenv("SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS", networks)
    with pytest.raises(ValidationError, match="outbound_allowed_networks"):
        Settings()


@pytest.mark.parametrize(
    ("variable", "wrong"),
    [
        ("DRAIN_TIMEOUT_SECONDS", "-1"),
        ("LEASE_SECONDS", "5"),
        ("LLM_FIRST_TOKEN_SECONDS", "0"),
        ("PHONE_CALLS_PER_NUMBER", "0"),
        ("PHONE_CALLS_PER_TENANT", "0"),
        ("PROVIDER_CONNECT_SECONDS", "61"),
        ("PROVIDER_IDLE_SECONDS", "0"),
        ("REALTIME_FIRST_AUDIO_SECONDS", "61"),
        ("REFUSALS_PER_SECOND", "-1"),
        ("REQUESTS_PER_MINUTE_PER_KEY", "-1"),
        ("RING_TIMEOUT_SECONDS", "0"),
        ("SESSION_TTL_SECONDS", "0"),
        ("SLOTS", "0"),
        ("SMTP_ENCRYPTION", "ssl"),
        ("SMTP_PORT", "65536"),
        ("STT_FINAL_SECONDS", "0"),
        ("STT_NO_TEXT_SECONDS", "0"),
    ],
)
def test_the_bounds_of_the_package_that_uses_a_setting_hold(
    monkeypatch: pytest.MonkeyPatch, variable: str, wrong: str
) -> None:
    monkeypatch.setenv(f"SWITCHBOARD_{variable}", wrong)
    with pytest.raises(ValidationError, match=variable.lower()):
        Settings()


def test_allowed_hosts_are_names_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_ALLOWED_HOSTS", "api.internal, *.example.com")
    assert Settings().allowed_hosts == ("api.internal", "*.example.com")
    monkeypatch.setenv("SWITCHBOARD_ALLOWED_HOSTS", "https://api.internal")
    with pytest.raises(ValidationError, match="without a scheme or a port"):
        Settings()


def test_a_level_of_the_log_that_does_not_exist_is_refused_with_those_that_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SWITCHBOARD_LOG_LEVEL", "Debug")
    assert Settings().log_level == "Debug"
    monkeypatch.setenv("SWITCHBOARD_LOG_LEVEL", "verbose")
    with pytest.raises(ValidationError, match="must be debug, info, warning, error or critical"):
        Settings()
