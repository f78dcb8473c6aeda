"""Shared code of the reliability tests: a server that can be killed, and a client that measures
each response. Nothing here checks the responses."""

import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import support.server
from support.postgres import Postgres
from support.server import CheckFailed, binary, check, environment, free_port, until

ALICE = "ghp_reliability_alice"
BOB = "ghp_reliability_bob"
ALICE_BY_APP = "ghu_reliability_alice"
TIMEOUT = 40


class Response:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.seconds = status, headers, seconds
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def has_standard_error_body(self):
        """Whether an error has a message, a documentation URL and its own status."""
        try:
            body = self.json
            return (
                isinstance(body["message"], str)
                and isinstance(body["documentation_url"], str)
                and body["status"] == str(self.status)
            )
        except (ValueError, KeyError, TypeError):
            return False


class Client:
    """A client with one persistent connection, opened on demand."""

    def __init__(self, port, token=ALICE, timeout=TIMEOUT):
        self.port, self.token, self.timeout = port, token, timeout
        self.connection = None

    def call(self, method, path, body=None, headers=None):
        """Raises OSError or HTTPException if no complete response arrives."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent.update(headers or {})
        data = None if body is None else json.dumps(body).encode()
        started = time.monotonic()
        try:
            self.connection.request(method, path, data, sent)
            response = self.connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        seconds = time.monotonic() - started
        if response.will_close:
            self.close()
        return Response(response.status, response.headers, text, seconds)

    def get(self, path):
        return self.call("GET", path)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Server(support.server.Server):
    """A server that can be killed and started again on the same database."""

    def __init__(self, folder, database_url, *options):
        super().__init__(folder, "--database-url", database_url, "--log-level", "warn", *options, port=free_port())
        self.url = database_url

    def command(self, *arguments):
        return subprocess.run(
            [binary(), *arguments, "--database-url", self.url],
            env=environment(), capture_output=True, text=True, timeout=120,
        )

    def load_world(self):
        result = self.command("world", "load", str(HERE / "world.yaml"))
        check(result.returncode == 0, f"cannot load the world: {result.stderr}")

    def doctor(self):
        result = self.command("doctor", "--objects")
        check(result.returncode == 0, f"doctor: {result.stdout}{result.stderr}")

    def client(self, token=ALICE, timeout=TIMEOUT):
        return Client(self.port, token, timeout)

    def memory_kib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def on_each_database(name, options, test):
    """Runs a test with a server on each of the selected databases."""
    for kind in options.databases:
        with tempfile.TemporaryDirectory(prefix=f"forgewright-{name}.") as folder:
            postgres = Postgres() if kind == "postgres" else None
            url = postgres.create(name) if postgres else f"sqlite://{folder}/{name}.db"
            server = Server(folder, url, "--rate-limits", "off")
            try:
                test(server, kind, options)
            finally:
                # A running server would write into the folder while it is removed.
                if server.process:
                    server.kill()
                if postgres:
                    postgres.remove()


def allow_many_descriptors():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
