"""Three PostgreSQL servers, a primary and two standbys that stream from it, behind HAProxy, which
forwards to the primary. The standbys follow whichever primary HAProxy finds."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from harness import Postgres, check, until
from support.postgres import owner
from support.server import KILL_WITH_PARENT, free_port

# With room for a standby that was stopped for a while.
SETTINGS = {"wal_keep_size": "128MB", "max_wal_size": "128MB", "wal_retrieve_retry_interval": "200ms",
            "wal_receiver_status_interval": "1s", "max_connections": "150"}

# HAProxy asks each server for pg_is_in_recovery(); a primary returns `f`.
STARTUP = b"\0\3\0\0user\0forgewright\0database\0postgres\0\0"
QUERY = b"SELECT pg_is_in_recovery();\0"
IS_PRIMARY = b"D\0\0\0\x0b\0\1\0\0\0\1f"

CONFIGURATION = """
global
    maxconn 500
defaults
    mode tcp
    timeout connect 1s
    timeout client 1h
    timeout server 1h
listen primary
    bind 127.0.0.1:{port}
    option tcp-check
    tcp-check connect
    tcp-check send-binary {startup}
    tcp-check send-binary {query}
    tcp-check expect binary {expected}
    timeout check 500ms
    default-server inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
"""


class Node(Postgres):
    """A server whose data are on a small disk once it was copied, if root runs the test."""

    disk = "400m"

    def copy(self, primary):
        data = self.folder / "data"
        if os.getuid() == 0:
            self.unmount()
            data.mkdir(exist_ok=True)
            mounted = ["mount", "-t", "tmpfs", "-o", f"size={self.disk},mode=700,uid={owner().pw_uid}", "tmpfs", str(data)]
            subprocess.run(mounted, check=True)
        super().copy(primary)

    def unmount(self):
        if os.path.ismount(self.folder / "data"):
            subprocess.run(["umount", "-l", str(self.folder / "data")], check=True)

    def fill(self):
        """Fills its disk."""
        check(os.path.ismount(self.folder / "data"), "a full disk needs root")
        with open(self.folder / "data" / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 65536)
            except OSError:
                pass

    def has_ended(self):
        return self.process.poll() is not None

    def end(self):
        """Fences the server: it ends at once, and nothing starts it again."""
        self.signal_all(signal.SIGKILL)
        self.process.wait(30)

    def received(self):
        """How much of the log a standby has."""
        return int(self.sql("SELECT COALESCE(pg_last_wal_receive_lsn(), '0/0') - '0/0'::pg_lsn"))

    def is_standby(self):
        return self.sql("SELECT pg_is_in_recovery()") == "t"

    def receiver(self):
        listed = subprocess.run(["ps", "-o", "pid=,cmd=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return next((int(row.split()[0]) for row in listed.stdout.splitlines() if "walreceiver" in row), None)

    def follow(self, conninfo):
        """Streams from another server, or from none."""
        with open(self.folder / "data" / "postgresql.auto.conf", "a") as settings:
            settings.write(f"primary_conninfo = '{conninfo}'\n")
        self.process.send_signal(signal.SIGHUP)

    def remove(self):
        self.unmount()
        super().remove()


class Cluster:
    def __init__(self, folder, synchronous):
        self.port, self.folder = free_port(), Path(folder)
        # A primary acknowledges a commit once a standby has it on disk. So the standby that has received
        # most has every acknowledged commit.
        settings = {**SETTINGS, **({"synchronous_standby_names": "ANY 1 (*)"} if synchronous else {})}
        ports = [free_port() for _ in range(3)]
        self.conninfo = f"host=127.0.0.1 port={self.port} user=forgewright dbname=postgres connect_timeout=2"
        self.nodes, self.proxy = [], self.start_proxy(ports)
        try:
            self.nodes.append(Node(port=ports[0], **settings))
            self.primary = self.nodes[0]
            until(20, self.answers, "HAProxy finds the primary")
            for port in ports[1:]:
                self.nodes.append(Node(copy_of=self.conninfo, port=port, **settings))
            until(30, self.is_complete, "the standbys follow")
        except BaseException:
            self.remove()
            raise

    def start_proxy(self, ports):
        startup = ((len(STARTUP) + 4).to_bytes(4, "big") + STARTUP).hex()
        query = (b"Q" + (len(QUERY) + 4).to_bytes(4, "big") + QUERY).hex()
        text = CONFIGURATION.format(port=self.port, startup=startup, query=query, expected=IS_PRIMARY.hex())
        servers = [f"    server n{port} 127.0.0.1:{port} check\n" for port in ports]
        path = self.folder / "haproxy.cfg"
        path.write_text(text + "".join(servers))
        found = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
        check(found, "no haproxy found (Debian: apt-get install haproxy)")
        with open(self.folder / "haproxy.log", "wb") as log:
            return subprocess.Popen([*KILL_WITH_PARENT, found, "-f", str(path)], stdout=log, stderr=log)

    def url(self, database):
        return f"postgres://forgewright@127.0.0.1:{self.port}/{database}"

    def answers(self):
        """Whether HAProxy forwards to the primary."""
        try:
            probe = [str(self.primary.bin / "psql"), self.conninfo, "-X", "-A", "-t", "-c", "SELECT pg_is_in_recovery()"]
            result = subprocess.run(probe, capture_output=True, text=True, timeout=5)
            return result.stdout.strip() == "f"
        except subprocess.TimeoutExpired:
            return False

    def standbys(self):
        return [node for node in self.nodes if node is not self.primary]

    def is_complete(self):
        return self.primary.sql("SELECT COUNT(*) FROM pg_stat_replication WHERE state = 'streaming'") == "2"

    def promote(self):
        """Promotes the standby that has received most. Returns when it accepts writes."""
        candidates = [node for node in self.standbys() if not node.has_ended()]
        until(20, lambda: not any(node.sql("SELECT pid FROM pg_stat_wal_receiver WHERE status = 'streaming'") for node in candidates),
              "the standbys notice the loss of the primary")
        self.primary = max(candidates, key=Node.received)
        self.primary.sql("SELECT pg_promote()")
        self.primary.sql("CREATE TABLE IF NOT EXISTS probe (n INT); INSERT INTO probe VALUES (1)")
        return time.monotonic()

    def repair(self):
        """Makes new standbys of the servers that have ended, or do not follow."""
        for node in self.standbys():
            if not node.has_ended() and not self.is_complete():
                following = node.sql("SELECT status FROM pg_stat_wal_receiver") == "streaming"
                if not following:
                    node.end()
            if node.has_ended():
                node.copy(self.conninfo)
                node.start()
        until(30, self.is_complete, "the standbys follow")

    def remove(self):
        for node in self.nodes:
            node.remove()
        self.proxy.kill()
        self.proxy.wait(10)
