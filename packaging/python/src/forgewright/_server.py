"""Starts servers, makes worlds on them, and ends them with this process."""

from __future__ import annotations

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

from ._binary import ForgewrightError, check_binary, find_binary, last_words
from ._control import Control
from ._types import WorldEntry
from ._world import App, World, WorldSource, is_file, make_world, usable_tokens, world_text

#: How many bytes of the log are kept, for errors.
LOG_LIMIT = 64 * 1024


class Forge(World):
    """A server that runs until it is stopped, or until this process ends, with its world `main`."""

    def __init__(self, control: Control, main: dict[str, Any], apps: list[App], end: Callable[[], object]) -> None:
        super().__init__(control, "main", main["url"], usable_tokens(main["tokens"]), apps)
        #: The file with the certificate to trust, of a server with an authority of its own.
        self.authority: str | None = main.get("authority")
        self._end = weakref.finalize(self, end)

    def world(
        self,
        world: WorldSource | None = None,
        *,
        template: str | None = None,
        copy_of: str | World | None = None,
        name: str | None = None,
    ) -> World:
        """Makes a world that shares nothing with others: from a world file, its text or its contents, from
        a template (main, demo or empty), or as a copy. By default from what the server was started with."""
        return make_world(self._control, self.apps, world, template, copy_of, name)

    def worlds(self) -> list[WorldEntry]:
        """All worlds of the server."""
        found: list[WorldEntry] = self._control.request("GET", "")
        return found

    def stop(self) -> None:
        """Ends the server and removes its folder. One that was connected to goes on."""
        self._end()

    def delete(self) -> None:
        raise ForgewrightError("main is the world of the server, and ends with it: call stop() instead of delete()")

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
    """Starts a server on a free port, with a world file, its text or its contents; without, the
    demo world."""
    program = check_binary(binary or find_binary())
    try:
        own = tempfile.mkdtemp(prefix="forgewright-", dir=folder)
    except OSError as error:
        raise ForgewrightError(f"cannot make a folder for the server: {error}; name another in `folder`") from error
    try:
        command = [program, "serve", "--announce", "--exit-with-stdin", "--listen", listen]
        command += ["--data-dir", os.path.join(own, "data"), *_world_flags(world, own), *args]
        return _launch(command, own, _environment(listen, env or {}), timeout)
    except BaseException:
        shutil.rmtree(own, ignore_errors=True)
        raise


def connect(url: str, *, token: str | None = None, authority: str | None = None) -> Forge:
    """Uses a server that runs already, with the control API. `stop` leaves it running."""
    address = urlsplit(url)
    origin = f"{address.scheme}://{address.netloc}"
    control = Control(origin, token or os.environ.get("FORGEWRIGHT_CONTROL_TOKEN"), authority)
    contents = control.request("GET", "/main/contents", query={"per_page": 100})
    apps = [App(app["id"], app["slug"], app["client_id"], None, app.get("private_key")) for app in contents["apps"]]
    main = {"url": origin, "tokens": contents["tokens"], "authority": authority}
    return Forge(control, main, apps, lambda: None)


def _world_flags(world: WorldSource | None, folder: str) -> list[str]:
    """A world that is given is written into a file."""
    if world is None:
        return []
    if is_file(world):
        return ["--world", os.fspath(world)]  # type: ignore[arg-type]
    path = Path(folder) / "world.yaml"
    path.write_text(world_text(world), encoding="utf-8")
    return ["--world", str(path)]


def _environment(listen: str, given: Mapping[str, str]) -> dict[str, str]:
    """The variables of the server: with the control API, and a token for it if others reach it."""
    inherited = {name: os.environ[name] for name in ("PATH", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    env = {**inherited, "FORGEWRIGHT_CONTROL": "on", **given}
    if not re.match(r"127\.|\[::1\]|localhost", listen):
        env.setdefault("FORGEWRIGHT_CONTROL_TOKEN", secrets.token_hex(20))
    return env


def _launch(command: list[str], folder: str, env: dict[str, str], timeout: float) -> Forge:
    # When this process ends, however that happens, the pipe to the server closes, and it ends too.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    try:
        announced = json.loads(_announcement(process, timeout))
        apps = [_announced_app(app) for app in announced["apps"]]
        # A server that listens everywhere is reached at loopback.
        url = announced["url"].replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        control = Control(url, env.get("FORGEWRIGHT_CONTROL_TOKEN"), announced["authority"])
        if "PYTEST_XDIST_WORKER" in os.environ:
            threading.Thread(target=_end_with_parent, args=(process, os.getppid()), daemon=True).start()
    except BaseException:
        process.kill()
        _end(process, folder)
        raise
    return Forge(control, {**announced, "url": url}, apps, lambda: _end(process, folder))


def _end_with_parent(process: subprocess.Popen[str], parent: int) -> None:
    """A process of pytest-xdist outlives its runner for a while when that is killed in the middle of a test."""
    while process.poll() is None:
        if os.getppid() != parent:
            process.terminate()
            process.wait()
            return
        time.sleep(0.5)


def _announcement(process: subprocess.Popen[str], timeout: float) -> str:
    """The line of JSON by which the server says that it listens."""
    log: list[str] = []
    assert process.stderr and process.stdout
    reader = threading.Thread(target=_keep, args=(process.stderr, log), daemon=True)
    reader.start()
    late = threading.Timer(timeout, process.kill)
    late.start()
    try:
        announced = next((line for line in process.stdout if line.startswith("{")), None)
    finally:
        overdue = not late.is_alive()
        late.cancel()
    if announced is not None:
        return announced
    process.wait()
    reader.join(5)
    if overdue:
        raise ForgewrightError(f"the server did not start within {timeout} s")
    raise last_words("".join(log))


def _announced_app(app: dict[str, Any]) -> App:
    file = app["private_key_file"]
    key = Path(file).read_text(encoding="ascii") if file else None
    return App(app["id"], app["slug"], app["client_id"], file, key)


def _end(process: subprocess.Popen[str], folder: str) -> None:
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


def _keep(stream: IO[str], log: list[str]) -> None:
    """Reads the log, so that the server never waits for its reader, and keeps the end of it."""
    size = 0
    with stream:
        for line in stream:
            log.append(line)
            size += len(line)
            while size > LOG_LIMIT and len(log) > 1:
                size -= len(log.pop(0))
