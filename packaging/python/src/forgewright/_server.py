"""Starts servers, each with a world and a folder of its own, and ends them with this process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any

from ._binary import ForgewrightError, check_binary, explained, find_binary

World = str | os.PathLike[str] | Mapping[str, Any]

#: How many bytes of the log are kept, for errors.
LOG_LIMIT = 64 * 1024


@dataclass(frozen=True)
class Token:
    """A token of the world."""

    value: str
    #: classic, fine_grained, oauth, app_user or installation
    kind: str
    #: The login of its user, or its app and account: `ci-bot on acme`.
    holder: str
    #: What it may do, in a few words.
    description: str


@dataclass(frozen=True)
class App:
    """An app of the world."""

    id: int
    slug: str
    client_id: str
    #: The file with its private key in PEM, if the world generates one.
    private_key_file: str | None


class Forge:
    """A server that runs until it is stopped, or until this process ends."""

    def __init__(self, process: subprocess.Popen[str], folder: str, announced: dict[str, Any]) -> None:
        self._end = weakref.finalize(self, _end, process, folder)
        #: The root of the API, without a slash at its end.
        self.url: str = announced["url"]
        self.tokens: list[Token] = [_known(Token, token) for token in announced["tokens"]]
        self.apps: list[App] = [_known(App, app) for app in announced["apps"]]

    def token(self, holder: str) -> str:
        """The value of a token of this holder."""
        for token in self.tokens:
            if token.holder == holder:
                return token.value
        known = ", ".join(dict.fromkeys(token.holder for token in self.tokens)) or "nobody"
        raise ForgewrightError(f"no token of the world belongs to {holder}; there are tokens of {known}")

    def stop(self) -> None:
        """Ends the server and removes its folder."""
        self._end()

    def __enter__(self) -> Forge:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _known(kind: type, values: dict[str, Any]) -> Any:
    return kind(**{field.name: values.get(field.name) for field in fields(kind)})


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


def start(
    world: World | None = None,
    *,
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    listen: str = "127.0.0.1:0",
    folder: str | os.PathLike[str] | None = None,
    binary: str | None = None,
    timeout: float = 30,
) -> Forge:
    """Starts a server on a free port, with a world file or the contents of one; without, the
    demo world."""
    program = check_binary(binary or find_binary())
    try:
        own = tempfile.mkdtemp(prefix="forgewright-", dir=folder)
    except OSError as error:
        raise ForgewrightError(f"cannot make a folder for the server: {error}; name another in `folder`") from error
    try:
        command = [program, "serve", "--announce", "--exit-with-stdin", "--listen", listen]
        command += ["--data-dir", os.path.join(own, "data"), *_world_flags(world, own), *args]
        return _launch(command, own, dict(env or {}), timeout)
    except BaseException:
        shutil.rmtree(own, ignore_errors=True)
        raise


def _world_flags(world: World | None, folder: str) -> list[str]:
    """A world that is a dictionary is written into a file: JSON is YAML."""
    if world is None:
        return []
    if isinstance(world, (str, os.PathLike)):
        return ["--world", os.fspath(world)]
    path = Path(folder) / "world.yaml"
    path.write_text(json.dumps(world, indent=2))
    return ["--world", str(path)]


def _launch(command: list[str], folder: str, env: dict[str, str], timeout: float) -> Forge:
    # When this process ends, however that happens, the pipe to the server closes, and it ends too.
    inherited = {name: os.environ[name] for name in ("PATH", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**inherited, **env},
    )
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
    if announced is None:
        process.wait()
        reader.join(5)
        _end(process, folder)
        raise ForgewrightError(f"the server did not start within {timeout} s") if overdue else explained(
            "".join(log), command[0]
        )
    return Forge(process, folder, json.loads(announced))


def _keep(stream: IO[str], log: list[str]) -> None:
    """Reads the log, so that the server never waits for its reader, and keeps the end of it."""
    size = 0
    with stream:
        for line in stream:
            log.append(line)
            size += len(line)
            while size > LOG_LIMIT and len(log) > 1:
                size -= len(log.pop(0))
