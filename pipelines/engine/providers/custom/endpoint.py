"""Connections to a tenant's own websocket, with the engine's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from livekit.agents import APIConnectionError, APIError, APIStatusError, APITimeoutError
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus, WebSocketException

from outbound.address import AddressRefused
from outbound.guarded_network import GuardedNetwork
from pipelines.engine.call_actions import CallActions
from pipelines.engine.providers.custom.messages import BrokenMessage, ReportedError


@dataclass(frozen=True)
class Endpoint:
    """One tenant's server on one channel of a call."""

    url: str
    field: str
    """The agent's field with the address, to name the endpoint by."""
    tenant: str
    network: GuardedNetwork
    actions: CallActions

    async def connect(self, timeout_seconds: float, start_message: str) -> ClientConnection:
        """A connection on which ``start_message`` has been sent. The caller must close it.

        Raises the engine's errors.
        """
        with self.engine_errors():
            socket = await self.network.web_socket(
                self.url, self.tenant, connect_seconds=timeout_seconds
            )
            try:
                await socket.send(start_message)
            except BaseException:
                socket.transport.abort()
                raise
            return socket

    @contextmanager
    def engine_errors(self) -> Iterator[None]:
        """Raises what comes out of a connection as errors of the engine, and writes into the call's
        log what its owner has to mend."""
        try:
            yield
        except InvalidStatus as error:
            status = error.response.status_code
            raise APIStatusError("custom endpoint", status_code=status, retryable=False) from error
        except TimeoutError:
            raise APITimeoutError(retryable=False) from None
        except (OSError, AddressRefused, WebSocketException) as error:
            raise APIConnectionError(retryable=False) from error
        except BrokenMessage as error:
            self._tell(f"{self.field} does not keep to the format: {error}.")
            raise APIError("broken message", retryable=False) from error
        except ReportedError as error:
            self._tell(f"{self.field} reported an error: {error}")
            raise APIError("reported error", retryable=False) from error

    def _tell(self, line: str) -> None:
        self.actions.log("warning", line)
