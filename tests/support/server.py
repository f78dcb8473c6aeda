"""The one way to start a server outside Rust: `tests/with-server` for a command, the
class `Server` for a test in Python. It builds nothing.

A server is killed when the thread that started it ends, so nothing outlives a runner.
"""

import http.client
import os
import random
import re
import signal
import socket
import ssl
import subprocess
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
# Puts an end to the child when its parent ends, however that happens.
ENDS_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"]


class Broken(Exception):
    """Something that must hold does not."""


def check(holds, message):
    if not holds:
        raise Broken(message)


def until(limit, holds, what):
    """Waits until something holds, and returns how long that took."""
    begun = time.monotonic()
    while True:
        if holds():
            return time.monotonic() - begun
        check(time.monotonic() - begun < limit, f"{what}: not within {limit} s")
        time.sleep(0.02)


def binary():
    named = os.environ.get("FORGEWRIGHT_BINARY")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(named) if named else target / "debug" / "forgewright"
    check(path.exists(), f"no server at {path}; run `cargo build`, or name one in FORGEWRIGHT_BINARY")
    return str(path)


def free_port():
    """A port for a process that has to be told one, or that keeps it over restarts.
    The system gives the ports above 32767 to outgoing connections."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def environment():
    """Nothing of the configuration of whoever runs the tests."""
    return {"PATH": os.environ["PATH"], "RUST_BACKTRACE": "1"}


class Server:
    """The binary on a port of its own, which stays the same over restarts."""

    def __init__(self, folder, *options, port=0):
        self.options, self.port = options, port
        self.scheme = "https" if any(option.startswith("--tls-") for option in options) else "http"
        self.output = Path(folder) / f"server-{time.monotonic_ns()}.out"
        self.log = self.output.with_suffix(".log")
        self.process = None

    @property
    def address(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def spawn(self):
        with open(self.output, "wb") as output, open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*ENDS_WITH_PARENT, binary(), "--listen", f"127.0.0.1:{self.port}", *self.options],
                env=environment(), stdout=output, stderr=log,
            )

    def await_ready(self):
        return until(30, self.is_ready, "the server becomes ready")

    def start(self):
        """Starts the server, and returns how long it took to become ready."""
        self.spawn()
        return self.await_ready()

    def is_ready(self):
        check(self.process.poll() is None, f"the server stopped: {self.last_words()}")
        if not self.port:
            greeting = re.search(r"^ *API +https?://[^/]*:(\d+)/", self.output.read_text(), re.MULTILINE)
            if not greeting:
                return False
            self.port = int(greeting[1])
        connection = self.connection()
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def connection(self):
        if self.scheme == "http":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        # Whether the certificate is right is for clients to say.
        context = ssl._create_unverified_context()
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5, context=context)

    def kill(self, sent=signal.SIGKILL):
        """Sends a signal, and returns the exit code."""
        self.process.send_signal(sent)
        code = self.process.wait(30)
        self.process = None
        return code

    def last_words(self):
        return self.log.read_text(errors="replace")[-2000:]

    def panics(self):
        return self.log.read_text(errors="replace").count("panicked at")
