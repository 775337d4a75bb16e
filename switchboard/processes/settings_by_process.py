"""What differs in the settings of processes that one host forks: ids and ports."""

from __future__ import annotations

from switchboard.listening import NoPort
from switchboard.settings import Settings

HIGHEST_PORT = 65_535


def settings_of_worker(settings: Settings, number: int) -> Settings:
    """For one of the worker processes, counted from 1: its own id and ports. A single one keeps
    the id that is set. Raises ``NoPort``."""
    is_single = settings.worker_processes == 1
    media_port = settings.phone_media_port
    return settings.model_copy(
        update={
            "worker_id": settings.worker_id if is_single else f"{settings.worker_id}-{number}",
            "phone_media_port": media_port
            and port_after(media_port, number - 1, "SWITCHBOARD_PHONE_MEDIA_PORT"),
            "phone_media_address": _phone_media_address(settings.phone_media_address, number),
            "monitoring_port": _monitoring_port(settings, number - 1),
        }
    )


def settings_of_models(settings: Settings) -> Settings:
    """For the process with the models: its port comes after those of the workers. Raises
    ``NoPort``."""
    port = _monitoring_port(settings, settings.worker_processes)
    return settings.model_copy(update={"monitoring_port": port})


def settings_of_tenants_jobs(settings: Settings) -> Settings:
    """For the second process of ``switchboard jobs``: its port comes next. Raises ``NoPort``."""
    return settings.model_copy(update={"monitoring_port": _monitoring_port(settings, 1)})


def port_after(first: int, steps: int, variable: str) -> int:
    """Raises ``NoPort``."""
    if first + steps > HIGHEST_PORT:
        raise NoPort(
            f"{variable} is {first}, which leaves no port for each process of this machine; "
            f"set {HIGHEST_PORT - steps} or less"
        )
    return first + steps


def _monitoring_port(settings: Settings, steps: int) -> int | None:
    first = settings.monitoring_port
    return first and port_after(first, steps, "SWITCHBOARD_MONITORING_PORT")


def _phone_media_address(address: str | None, number: int) -> str | None:
    """A bridge that came to the door of another worker would find no call there."""
    host, separator, port = (address or "").rpartition(":")
    return f"{host}:{int(port) + number - 1}" if separator and port.isdecimal() else address
