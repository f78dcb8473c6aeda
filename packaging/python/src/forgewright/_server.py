"""Starts servers, creates worlds on them, and stops the servers when this process exits."""

from __future__ import annotations

import itertools
import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from ._binary import ForgewrightError, check_binary, find_binary, start_error
from ._control import ControlClient
from ._types import WorldEntry
from ._world import App, World, WorldSource, create_world, is_file, usable_tokens, world_text

#: The length of the end of the log that is kept for error messages, in characters.
LOG_LIMIT = 64 * 1024

#: The maximum of `per_page` in a request to the control API.
MAX_PER_PAGE = 100


class Forge(World):
    """A running server and its world `main`.

    It runs until it is stopped, this process exits, or neither it nor one of its worlds is referenced any more. As a
    context manager, it stops at the end of the block.
    """

    authority: str | None
    """The path of the certificate to trust, if the server has its own certificate authority."""

    def __init__(
        self, control: ControlClient, main: dict[str, Any], apps: list[App], stop: Callable[[], object]
    ) -> None:
        super().__init__(control, "main", main["url"], usable_tokens(main["tokens"]), apps)
        self.authority = main.get("authority")
        # All worlds of the server and their control functions refer to the client.
        self._stop = weakref.finalize(control, stop)

    def world(
        self,
        world: WorldSource | None = None,
        *,
        template: str | None = None,
        copy_of: str | World | None = None,
        name: str | None = None,
    ) -> World:
        """Creates an isolated world. By default, it has the data that the server loaded when it started.

        At most one of `world`, `template` and `copy_of` can be given.

        Args:
            world: The world file, as its path, its text or a dictionary.
            template: `demo`, `empty`, or `main` for the data that the server loaded when it started.
            copy_of: The world whose current state is copied, or its name.
            name: The name of the world in its URL. If omitted, a random name.

        Raises:
            ForgewrightError: If the arguments or the world file are invalid.
        """
        return create_world(self._control, self.apps, world, template, copy_of, name)

    def worlds(self) -> list[WorldEntry]:
        """Returns all worlds of the server."""
        found: list[WorldEntry] = self._control.request("GET", "")
        return found

    def stop(self) -> None:
        """Stops the server and removes its folder. A server of `connect` keeps running."""
        self._stop()

    def delete(self) -> None:
        """Always raises `ForgewrightError`: the world `main` cannot be deleted."""
        raise ForgewrightError("the world `main` cannot be deleted; call stop() to stop the server")

    def __enter__(self) -> Forge:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(
    world: WorldSource | None = None,
    *,
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    listen: str = "127.0.0.1:0",
    folder: str | os.PathLike[str] | None = None,
    binary: str | None = None,
    timeout: float = 30,
) -> Forge:
    """Starts a server with the control API on a free port, and waits until it listens.

    Args:
        world: The world file, as its path, its text or a dictionary. If omitted, the demo world.
        args: Additional flags of `forgewright serve`.
        env: Environment variables of the server. From this process it inherits only `PATH`, `TMPDIR` and
            `SYSTEMROOT`.
        listen: The address to listen on. Default: a free port of `127.0.0.1`.
        folder: The parent folder for the server's own folder. Default: the system's folder for temporary files.
        binary: The path of the binary. Default: `FORGEWRIGHT_BINARY` if it is set, otherwise the binary of this
            package.
        timeout: The maximum time to start, in seconds.

    Raises:
        ForgewrightError: If the server does not start. The message is the server's own, if it has one.
    """
    program = check_binary(binary or find_binary())
    try:
        server_folder = tempfile.mkdtemp(prefix="forgewright-", dir=folder)
    except OSError as error:
        raise ForgewrightError(
            f"cannot create a folder for the server: {error}; choose another parent with `folder`"
        ) from error
    try:
        command = [program, "serve", "--announce", "--exit-with-stdin", "--listen", listen]
        command += ["--data-dir", os.path.join(server_folder, "data"), *_world_flags(world, server_folder), *args]
        return _launch(command, server_folder, _environment(listen, env or {}), timeout)
    except BaseException:
        shutil.rmtree(server_folder, ignore_errors=True)
        raise


def connect(url: str, *, token: str | None = None, authority: str | None = None) -> Forge:
    """Connects to a running server through its control API. `stop` does not stop the server.

    Args:
        url: The URL of the server.
        token: The control token. Default: `FORGEWRIGHT_CONTROL_TOKEN`.
        authority: The path of the certificate to trust.

    Raises:
        ForgewrightError: If the server does not respond, has no control API, or refuses the token.
    """
    address = urlsplit(url)
    origin = f"{address.scheme}://{address.netloc}"
    control = ControlClient(origin, token or os.environ.get("FORGEWRIGHT_CONTROL_TOKEN"), authority)
    tokens, found = _credentials(control)
    apps = [App(app["id"], app["slug"], app["client_id"], None, app.get("private_key")) for app in found]
    return Forge(control, {"url": origin, "tokens": tokens, "authority": authority}, apps, lambda: None)


def _credentials(control: ControlClient) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns all tokens and apps of the world `main`."""
    tokens: list[dict[str, Any]] = []
    apps: list[dict[str, Any]] = []
    for page in itertools.count(1):
        contents = control.request("GET", "/main/contents", query={"per_page": MAX_PER_PAGE, "page": page})
        tokens += contents["tokens"]
        apps += contents["apps"]
        if len(contents["tokens"]) < MAX_PER_PAGE and len(contents["apps"]) < MAX_PER_PAGE:
            break
    return tokens, apps


def _world_flags(world: WorldSource | None, folder: str) -> list[str]:
    """Returns the flags that load a world. Writes a text or a dictionary to a file."""
    if world is None:
        return []
    if is_file(world):
        return ["--world", os.fspath(world)]  # type: ignore[arg-type]
    path = Path(folder) / "world.yaml"
    path.write_text(world_text(world), encoding="utf-8")
    return ["--world", str(path)]


def _environment(listen: str, given: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables of the server. They enable the control API, with a token unless on loopback."""
    inherited = {name: os.environ[name] for name in ("PATH", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    env = {**inherited, "FORGEWRIGHT_CONTROL": "on", **given}
    if not re.match(r"127\.|\[::1\]|localhost", listen):
        env.setdefault("FORGEWRIGHT_CONTROL_TOKEN", secrets.token_hex(20))
    return env


def _launch(command: list[str], folder: str, env: dict[str, str], timeout: float) -> Forge:
    # The server exits when its standard input closes, which happens even if this process is killed.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    try:
        announced = json.loads(_announcement(process, timeout))
        apps = [_announced_app(app) for app in announced["apps"]]
        # A server that listens on all addresses is reached through loopback.
        url = announced["url"].replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        control = ControlClient(url, env.get("FORGEWRIGHT_CONTROL_TOKEN"), announced["authority"])
        if "PYTEST_XDIST_WORKER" in os.environ:
            threading.Thread(target=_stop_with_parent, args=(process, os.getppid()), daemon=True).start()
    except BaseException:
        process.kill()
        _stop(process, folder)
        raise
    return Forge(control, {**announced, "url": url}, apps, lambda: _stop(process, folder))


def _stop_with_parent(process: subprocess.Popen[str], parent: int) -> None:
    """Stops the server when the parent of this process exits.

    A worker of pytest-xdist outlives a runner that is killed during a test.
    """
    while process.poll() is None:
        if os.getppid() != parent:
            process.terminate()
            process.wait()
            return
        time.sleep(0.5)


def _announcement(process: subprocess.Popen[str], timeout: float) -> str:
    """Returns the line of JSON that the server prints when it listens."""
    log: list[str] = []
    assert process.stderr and process.stdout
    reader = threading.Thread(target=_read_log, args=(process.stderr, log), daemon=True)
    reader.start()
    timer = threading.Timer(timeout, process.kill)
    timer.start()
    try:
        announced = next((line for line in process.stdout if line.startswith("{")), None)
    finally:
        timed_out = not timer.is_alive()
        timer.cancel()
    if announced is not None:
        return announced
    process.wait()
    reader.join(5)
    if timed_out:
        raise ForgewrightError(f"the server did not start within {timeout} s")
    raise start_error("".join(log))


def _announced_app(app: dict[str, Any]) -> App:
    file = app["private_key_file"]
    key = Path(file).read_text(encoding="ascii") if file else None
    return App(app["id"], app["slug"], app["client_id"], file, key)


def _stop(process: subprocess.Popen[str], folder: str) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
    shutil.rmtree(folder, ignore_errors=True)


def _read_log(stream: IO[str], log: list[str]) -> None:
    """Reads the log, so that the pipe never blocks the server, and keeps its last lines."""
    size = 0
    with stream:
        for line in stream:
            log.append(line)
            size += len(line)
            while size > LOG_LIMIT and len(log) > 1:
                size -= len(log.pop(0))
