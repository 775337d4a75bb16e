"""A fork server under a supervisor's child, with real processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import psutil
import pytest

from switchboard.parent_watch import PARENT_FD, ParentPipe
from switchboard.services.command import Command
from switchboard.supervision.child import Child, ChildSpec
from switchboard.supervision.forks import ForkedProcess, Forks

pytestmark = pytest.mark.timeout(60)


class Scene:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.output_path = directory / "output"
        self.full = directory / "full"
        """While it exists, the server cannot fork."""
        self.parent = ParentPipe()
        self.forks = Forks(self._server)
        spec = ChildSpec("server", self.forks.prepare, self.forks.is_ready)
        self.server = Child(spec, directory / "server.log", lambda _child: None)

    def _server(self, channel_fd: int) -> Command:
        module = "tests.switchboard.supervision.fork_serving"
        return Command(
            "server",
            (sys.executable, "-m", module, str(channel_fd), str(self.full)),
            cwd=Path.cwd(),
            inherited_fds=(channel_fd,),
        )

    async def launch(
        self,
        *arguments: str,
        descriptors: tuple[int, ...] = (),
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> ForkedProcess:
        command = Command(
            "forked",
            (sys.executable, "-m", "switchboard", *arguments),
            cwd=self.directory,
            environment={PARENT_FD: str(self.parent.read_fd), **environment},
            inherits=lambda _name: False,
            inherited_fds=(self.parent.read_fd, *descriptors),
        )
        with self.output_path.open("ab") as output:
            return await self.forks.launch(command, output)

    @property
    def output(self) -> list[str]:
        return self.output_path.read_text().splitlines()


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    scene = Scene(tmp_path)
    await scene.server.start()
    yield scene
    await scene.server.stop(grace_seconds=5)
    scene.parent.close()


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - another process's state
            await asyncio.sleep(0.01)


async def test_a_process_gets_its_command_and_nothing_of_the_servers_environment(
    scene: Scene,
) -> None:
    process = await scene.launch("describe", environment={"CANARY": "x"})
    assert await process.wait() == 0
    assert scene.output == [
        f"environment CANARY {PARENT_FD}",
        f"cwd {scene.directory}",
        "arguments describe",
    ]


async def test_descriptors_keep_their_numbers(scene: Scene) -> None:
    for text in ("one", "two"):
        read_fd, write_fd = os.pipe()
        os.write(write_fd, text.encode())
        process = await scene.launch("read", str(read_fd), descriptors=(read_fd,))
        assert await process.wait() == 0
        os.close(read_fd)
        os.close(write_fd)
    assert scene.output == ["read one", "read two"]


async def test_the_exit_code_is_that_of_the_process(scene: Scene) -> None:
    assert await (await scene.launch("fail")).wait() == 7
    killed = await scene.launch("stay")
    killed.kill()
    assert await killed.wait() == -signal.SIGKILL
    killed.send_signal(signal.SIGTERM)  # It is over: nothing happens.


async def test_an_order_may_be_longer_than_a_pipe_holds(scene: Scene) -> None:
    variables = {f"CANARY_{number}": "x" * 50_000 for number in range(4)}
    assert await (await scene.launch("describe", environment=variables)).wait() == 0


async def test_what_the_server_forked_ends_with_it_and_a_new_server_forks_again(
    scene: Scene,
) -> None:
    process = await scene.launch("stay")
    server = scene.server.pid
    assert server is not None
    psutil.Process(server).kill()
    assert await process.wait() == -signal.SIGKILL
    await _until(lambda: not psutil.pid_exists(process.pid))
    assert await (await scene.launch("fail")).wait() == 7
    assert scene.server.pid not in (None, server)


@pytest.mark.parametrize("size", [10, 200_000])
async def test_a_fork_that_fails_ends_nothing_that_was_forked_before(
    scene: Scene, size: int
) -> None:
    before, server = await scene.launch("stay"), scene.server.pid
    scene.full.touch()
    with pytest.raises(BlockingIOError):
        await scene.launch("fail", environment={"CANARY": "x" * size})
    scene.full.unlink()
    assert await (await scene.launch("fail")).wait() == 7
    assert before.returncode is None
    assert scene.server.pid == server


async def test_a_child_of_the_supervisor_may_be_forked(scene: Scene, tmp_path: Path) -> None:
    command = Command(
        "forked",
        (sys.executable, "-m", "switchboard", "stay"),
        cwd=tmp_path,
        environment={PARENT_FD: str(scene.parent.read_fd)},
        inherited_fds=(scene.parent.read_fd,),
        stop_signal=signal.SIGINT,
    )

    async def ready(_pid: int) -> bool:
        return True

    spec = ChildSpec("forked", lambda: command, ready, launch=scene.forks.launch)
    child = Child(spec, tmp_path / "forked.log", lambda _child: None)
    await child.start()
    first = child.pid
    assert first is not None
    psutil.Process(first).kill()
    await _until(lambda: child.pid not in (None, first))
    await child.stop(grace_seconds=5)
    assert child.pid is None
