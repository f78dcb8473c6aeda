"""Starts a server for tests outside Rust: `tests/with-server` for a command, the class `Server` for
a test in Python. It builds nothing.

A server is killed when the thread that started it ends, so it never outlives a test runner.
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
# Kills the child process when its parent exits for any reason.
KILL_WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"]


class CheckFailed(Exception):
    """A check failed."""


def check(condition, message):
    if not condition:
        raise CheckFailed(message)


def until(limit, condition, what):
    """Waits until a condition holds; returns the waiting time."""
    started = time.monotonic()
    while True:
        if condition():
            return time.monotonic() - started
        check(time.monotonic() - started < limit, f"{what}: not within {limit} s")
        time.sleep(0.02)


def binary():
    named = os.environ.get("FORGEWRIGHT_BINARY")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(named) if named else target / "debug" / "forgewright"
    check(path.exists(), f"no server at {path}; run `cargo build`, or set FORGEWRIGHT_BINARY")
    return str(path)


def free_port():
    """A free port, for a process that cannot choose one itself or that keeps it over restarts. It is
    below the range that the system uses for outgoing connections."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def environment():
    """A clean environment, without the user's configuration."""
    return {"PATH": os.environ["PATH"], "RUST_BACKTRACE": "1"}


class Server:
    """A server process on its own port, which it keeps over restarts."""

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
                [*KILL_WITH_PARENT, binary(), "--listen", f"127.0.0.1:{self.port}", *self.options],
                env=environment(), stdout=output, stderr=log,
            )

    def await_ready(self):
        return until(30, self.is_ready, "the server becomes ready")

    def start(self):
        """Starts the server; returns the time until it was ready."""
        self.spawn()
        return self.await_ready()

    def is_ready(self):
        check(self.process.poll() is None, f"the server stopped: {self.log_tail()}")
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
        # Clients verify the certificate; this check need not.
        context = ssl._create_unverified_context()
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5, context=context)

    def kill(self, sent=signal.SIGKILL):
        """Sends a signal; returns the exit code."""
        self.process.send_signal(sent)
        code = self.process.wait(30)
        self.process = None
        return code

    def log_tail(self):
        return self.log.read_text(errors="replace")[-2000:]

    def panics(self):
        return self.log.read_text(errors="replace").count("panicked at")
