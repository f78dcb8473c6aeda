"""What the reliability tests share: a server that can be killed, a PostgreSQL that
can be stopped, and a client that says how long each answer took. Nothing here
judges an answer."""

import http.client
import json
import os
import pwd
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ALICE = "ghp_reliability_alice"
BOB = "ghp_reliability_bob"
ALICE_BY_APP = "ghu_reliability_alice"
PATIENCE = 40


class Broken(Exception):
    """Something that must hold does not."""


def check(holds, message):
    if not holds:
        raise Broken(message)


def binary():
    named = os.environ.get("FORGEWRIGHT_BINARY")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(named) if named else target / "debug" / "forgewright"
    check(path.exists(), f"no server at {path}; run `cargo build`, or name one in FORGEWRIGHT_BINARY")
    return str(path)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(limit, holds, what):
    """Waits until something holds, and says how long that took."""
    begun = time.monotonic()
    while True:
        if holds():
            return time.monotonic() - begun
        check(time.monotonic() - begun < limit, f"{what}: not within {limit} s")
        time.sleep(0.02)


class Answer:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.seconds = status, headers, seconds
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def in_the_one_shape(self):
        """A refusal says what, where it is documented, and its own status."""
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
    """One keep-alive connection, opened when it is needed."""

    def __init__(self, port, token=ALICE, timeout=PATIENCE):
        self.port, self.token, self.timeout = port, token, timeout
        self.connection = None

    def call(self, method, path, body=None, headers=None):
        """Raises OSError or HTTPException when no whole answer comes."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent.update(headers or {})
        data = None if body is None else json.dumps(body).encode()
        begun = time.monotonic()
        try:
            self.connection.request(method, path, data, sent)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        seconds = time.monotonic() - begun
        if answer.will_close:
            self.close()
        return Answer(answer.status, answer.headers, text, seconds)

    def get(self, path):
        return self.call("GET", path)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Server:
    """The binary, on a port of its own, which stays the same over restarts."""

    def __init__(self, folder, database_url, *options):
        self.folder, self.url, self.options = Path(folder), database_url, options
        self.port = free_port()
        self.log = self.folder / f"server-{self.port}.log"
        self.process = None

    def command(self, *arguments):
        environment = {"PATH": os.environ["PATH"], "RUST_BACKTRACE": "1"}
        return subprocess.run(
            [binary(), *arguments, "--database-url", self.url],
            env=environment, capture_output=True, text=True, timeout=120,
        )

    def load_world(self):
        done = self.command("world", "load", str(HERE / "world.yaml"))
        check(done.returncode == 0, f"the world is not loaded: {done.stderr}")

    def spawn(self):
        environment = {"PATH": os.environ["PATH"], "RUST_BACKTRACE": "1"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [binary(), "--database-url", self.url, "--listen", f"127.0.0.1:{self.port}",
                 "--log-level", "warn", *self.options],
                env=environment, stdout=subprocess.DEVNULL, stderr=log,
            )

    def start(self):
        self.spawn()
        return self.await_ready()

    def await_ready(self):
        def ready():
            check(self.process.poll() is None, f"the server stopped: {self.last_words()}")
            try:
                return Client(self.port, None, 5).get("/readyz").status == 200
            except (OSError, http.client.HTTPException):
                return False
        return until(30, ready, "the server becomes ready")

    def kill(self, sent=signal.SIGKILL):
        self.process.send_signal(sent)
        code = self.process.wait(30)
        self.process = None
        return code

    def doctor(self):
        done = self.command("doctor", "--objects")
        check(done.returncode == 0, f"doctor: {done.stdout}{done.stderr}")

    def client(self, token=ALICE, timeout=PATIENCE):
        return Client(self.port, token, timeout)

    def last_words(self):
        return self.log.read_text(errors="replace")[-2000:]

    def panics(self):
        return self.log.read_text(errors="replace").count("panicked at")

    def memory_kib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class Postgres:
    """A PostgreSQL in a temporary folder, with settings of its own. Root lends it to
    another user, because it refuses to run as root."""

    def __init__(self, **settings):
        self.settings = {"max_connections": "200", **settings}
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        tools = shutil.which("initdb")
        check(found or tools, "no PostgreSQL found (Debian: apt-get install postgresql)")
        self.bin = Path(tools).resolve().parent if tools else found[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="forgewright-postgres."))
        self.port = free_port()
        self.owner = {}
        if os.getuid() == 0:
            name = "forgewright-test"
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                subprocess.run(["useradd", "--system", "--no-create-home", name], check=True)
                entry = pwd.getpwnam(name)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.owner = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.tool("initdb", "-D", "data", "-U", "forgewright", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def tool(self, name, *arguments):
        done = subprocess.run(
            [str(self.bin / name), *arguments], cwd=self.folder, capture_output=True, text=True,
            env={"HOME": str(self.folder), "PATH": os.environ["PATH"]}, timeout=60, **self.owner,
        )
        check(done.returncode == 0, f"{name}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        options += "".join(f" -c {name}={value}" for name, value in self.settings.items())
        self.tool("pg_ctl", "-D", "data", "-l", "data/log", "-w", "-o", options, "start")

    def stop(self):
        self.tool("pg_ctl", "-D", "data", "-m", "fast", "-w", "stop")

    def processes(self):
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True, text=True)
        return [first] + [int(pid) for pid in listed.stdout.split()]

    def signal_all(self, sent):
        for pid in self.processes():
            try:
                os.kill(pid, sent)
            except ProcessLookupError:
                pass

    def url(self, database="postgres"):
        return f"postgres://forgewright@127.0.0.1:{self.port}/{database}"

    def sql(self, statement, database="postgres"):
        return self.tool("psql", "-h", str(self.folder), "-p", str(self.port), "-U", "forgewright",
                         "-d", database, "-X", "-A", "-t", "-q", "-c", statement).strip()

    def create(self, database):
        self.sql(f"CREATE DATABASE {database}")
        return self.url(database)

    def remove(self):
        try:
            self.signal_all(signal.SIGCONT)
            self.tool("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")
        except (Broken, OSError):
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


def allow_many_descriptors():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
