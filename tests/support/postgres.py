"""A PostgreSQL server in a temporary folder, for `tests/with-postgres` and the reliability tests."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from .server import CheckFailed, check, free_port, until


class Postgres:
    """Runs as another user if started by root, because PostgreSQL refuses to run as root. It shuts
    down when the thread that started it ends."""

    def __init__(self, parent=None, copy_of=None, port=None, **settings):
        """`parent` is the folder for its own, `copy_of` the connection string of a primary whose
        standby this becomes."""
        self.settings = {"max_connections": "200", **settings}
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        tools = shutil.which("initdb")
        check(found or tools, "no PostgreSQL found (Debian: apt-get install postgresql)")
        self.bin = Path(tools).resolve().parent if tools else found[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="forgewright-postgres.", dir=parent))
        self.port, self.process = port or free_port(), None
        self.owner = {}
        if os.getuid() == 0:
            entry = owner()
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.owner = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        if copy_of:
            self.copy(copy_of)
        else:
            self.tool("initdb", "-D", "data", "-U", "forgewright", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def copy(self, primary):
        """Replaces the data by a copy of a primary, and follows it from then on."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        self.tool("pg_basebackup", "-d", primary, "-D", "data", "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def environment(self):
        return {"HOME": str(self.folder), "PATH": os.environ["PATH"]}

    def tool(self, name, *arguments):
        result = subprocess.run(
            [str(self.bin / name), *arguments], cwd=self.folder, capture_output=True, text=True,
            env=self.environment(), timeout=60, **self.owner,
        )
        check(result.returncode == 0, f"{name}: {result.stdout}{result.stderr}")
        return result.stdout

    def start(self):
        settings = {"listen_addresses": "127.0.0.1", "fsync": "off", **self.settings}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "QUIT", str(self.bin / "postgres"), "-D", "data",
                 "-p", str(self.port), "-k", str(self.folder), *options],
                cwd=self.folder, env=self.environment(), stdout=log, stderr=log, **self.owner,
            )
        until(30, self.is_ready, "PostgreSQL becomes ready")

    def is_ready(self):
        log = (self.folder / "log").read_text(errors="replace")[-2000:]
        check(self.process.poll() is None, f"PostgreSQL stopped: {log}")
        probe = [str(self.bin / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port)]
        return subprocess.run(probe, env=self.environment(), timeout=60).returncode == 0

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def processes(self):
        first = self.process.pid
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
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(60)
        except (CheckFailed, OSError, subprocess.TimeoutExpired):
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


def in_memory():
    """A folder in memory, if it has room for the databases of the Rust tests. Creating a database
    writes about a thousand files, which takes most of the time of the tests on a disk."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free >= 4 << 30
    return memory if has_room else None


def owner():
    name = "forgewright-test"
    try:
        return pwd.getpwnam(name)
    except KeyError:
        subprocess.run(["useradd", "--system", "--no-create-home", name], check=True)
        return pwd.getpwnam(name)
