"""The API's own process behind a real proxy: each client counts for itself."""

from __future__ import annotations

import http.client
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest

from switchboard.services.ports import LOOPBACK, free_port
from tests.own_api import OwnApi, own_api, until_it_answers

ROOT = Path(__file__).parents[2]
PROXY = "127.0.0.9"
"""The address from which our own proxy connects to the API."""
CUSTOMER = "127.0.0.3"
PASSWORD = "correct horse battery"

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnApi]:
    log_path = tmp_path_factory.mktemp("api") / "api.log"
    # Caddy connects from the loopback's first address.
    with own_api(log_path, SWITCHBOARD_TRUSTED_PROXIES=f"{PROXY},{LOOPBACK}") as api:
        yield api


@pytest.fixture(params=["our own", "caddy"])
def proxy_url(
    request: pytest.FixtureRequest, api: OwnApi, require_program: Callable[..., str], tmp_path: Path
) -> Iterator[str]:
    if request.param == "caddy":
        with caddy(require_program("caddy"), api.url, tmp_path) as url:
            yield url
    else:
        with appending_proxy(api.url) as url:
            yield url


def test_whoever_guesses_passwords_locks_nobody_else_out(api: OwnApi, proxy_url: str) -> None:
    port = urlsplit(proxy_url).port or 0
    email = f"mia-{port}@example.com"
    # One for each proxy: the API remembers for a second whom it has refused.
    guesser_address = f"127.83.{port // 256}.{port % 256}"
    account = {"tenant_name": "Bright Smiles", "email": email, "password": PASSWORD}
    with client(proxy_url, CUSTOMER) as customer, client(proxy_url, guesser_address) as guesser:
        forget_every_attempt(api)
        assert customer.post("/v1/auth/sign-up", json=account).status_code == 201
        guess = {"email": f"somebody-{port}@example.com", "password": "not the password"}
        assert guesser.post("/v1/auth/login", json=guess).status_code == 401
        use_up_every_attempt(api)

        # An address of its own choice does not help.
        for invented in ({}, {"X-Forwarded-For": "203.0.113.1"}):
            refused = guesser.post("/v1/auth/login", json=guess, headers=invented)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_many_attempts")
        login = {"email": email, "password": PASSWORD}
        assert customer.post("/v1/auth/login", json=login).status_code == 200

        sessions = customer.get("/v1/me/sessions").json()["sessions"]
        assert {session["address"] for session in sessions} == {CUSTOMER}


def test_a_page_at_the_proxys_address_is_no_other_site(proxy_url: str) -> None:
    guess = {"email": f"{urlsplit(proxy_url).port}@example.com", "password": "not the password"}
    with client(proxy_url, CUSTOMER) as browser:
        own = browser.post("/v1/auth/login", json=guess, headers={"Origin": proxy_url})
        other = browser.post("/v1/auth/login", json=guess, headers={"Origin": "https://evil.test"})
    assert own.json()["code"] == "invalid_credentials"
    assert other.json()["code"] == "foreign_origin"


def forget_every_attempt(api: OwnApi) -> None:
    """Those of the same clients through the other proxy."""
    with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
        connection.execute("DELETE FROM attempt_counts")


def use_up_every_attempt(api: OwnApi) -> None:
    """As a hundred more wrong passwords would, at a tenth of a second of a core each."""
    with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
        connection.execute("UPDATE attempt_counts SET attempts = 100 WHERE attempts > 0")


def client(url: str, address: str) -> httpx2.Client:
    """One with an address of its own: on Linux the loopback has 16 million."""
    return httpx2.Client(base_url=url, transport=httpx2.HTTPTransport(local_address=address))


@contextmanager
def caddy(program: str, api_url: str, home: Path) -> Iterator[str]:
    """Caddy with the file that docker-compose.yml gives it."""
    url = f"http://{LOOPBACK}:{free_port()}"
    file = shutil.copy(ROOT / "deploy/caddy/Caddyfile", home)
    process = subprocess.Popen(
        [program, "run", "--config", file, "--adapter", "caddyfile"],
        env={
            "HOME": str(home),
            "SWITCHBOARD_PUBLIC_URL": url,
            "SWITCHBOARD_API_ADDRESS": urlsplit(api_url).netloc,
        },
        stderr=subprocess.DEVNULL,
    )
    try:
        until_it_answers(process, f"{url}/healthz")
        yield url
    finally:
        process.terminate()
        process.wait()


@contextmanager
def appending_proxy(api_url: str) -> Iterator[str]:
    """A small proxy that connects from ``PROXY`` and appends its client to what that has sent."""
    target = urlsplit(api_url)

    class Forwarding(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            sent = self.headers.get("X-Forwarded-For")
            headers = dict(self.headers) | {
                "X-Forwarded-For": ", ".join(filter(None, (sent, self.client_address[0]))),
                "X-Forwarded-Proto": "http",
            }
            connection = http.client.HTTPConnection(
                target.hostname or "", target.port, source_address=(PROXY, 0)
            )
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer((LOOPBACK, 0), Forwarding) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://{LOOPBACK}:{server.server_address[1]}"
        server.shutdown()
        thread.join()
