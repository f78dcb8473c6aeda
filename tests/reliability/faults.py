"""The database fails under load: stopped, frozen, locked, full, read-only. Requests get a response
with the standard error body in bounded time, and the server recovers by itself."""

import http.client
import os
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import rewind
from harness import ALICE, Postgres, Server, binary, check, percentile, until

# The server's timeout is 10 s for a request, and another 10 s for its body.
BOUND = 21
READS = ["/repos/acme/work/git/ref/heads/main", "/repos/acme/work/pulls/1/comments", "/orgs/acme/issue-fields"]


class Load:
    """Eight clients that record every response. Half of them create references."""

    def __init__(self, server):
        self.server, self.stop = server, threading.Event()
        self.responses, self.lost, self.created = [], 0, {}
        self.mark = f"{time.monotonic_ns():x}"
        main = server.client().get("/repos/acme/work/git/ref/heads/main").json
        self.sha = main["object"]["sha"]
        self.threads = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(8)]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        client = self.server.client()
        for turn in range(10**9):
            if self.stop.is_set():
                return
            name = f"refs/heads/load-{self.mark}/{number}/{turn}"
            try:
                if number % 2:
                    response = client.call("POST", "/repos/acme/work/git/refs", {"ref": name, "sha": self.sha})
                    if response.status == 201:
                        self.created[name] = self.sha
                else:
                    response = client.get(READS[turn % len(READS)])
            except (OSError, http.client.HTTPException):
                self.lost += 1
                continue
            self.responses.append((time.monotonic(), number % 2 == 1, response))
            if response.status == 503:
                time.sleep(0.02)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(BOUND + 10)
            check(not thread.is_alive(), "a request hangs")

    def verify(self, what):
        """Every error is a 503 with Retry-After, and every response arrived in time."""
        check(self.lost == 0, f"{what}: {self.lost} connections broke")
        refused = [response for _, _, response in self.responses if response.status not in (200, 201)]
        for response in refused:
            check(response.status == 503, f"{what}: {response.status} {response.body[:300]}")
            check(response.has_standard_error_body(), f"{what}: not the standard error body: {response.body[:300]}")
            check(response.headers["Retry-After"], f"{what}: no Retry-After")
        slowest = max(response.seconds for _, _, response in self.responses)
        check(slowest < BOUND, f"{what}: a response took {slowest:.1f} s")
        listed = set()
        for row in self.server.client().get(f"/repos/acme/work/git/matching-refs/heads/load-{self.mark}/").json:
            listed.add(row["ref"])
        missing = set(self.created) - listed
        check(not missing, f"{what}: {len(missing)} acknowledged references are lost")
        check(self.server.panics() == 0, f"{what}: the server panicked")
        times = [response.seconds for response in refused]
        print(f"faults {what}: {len(self.responses)} responses, {len(refused)} of them 503, "
              f"slowest {slowest:.2f} s, median 503 {percentile(times, 0.5):.3f} s, "
              f"all {len(self.created)} acknowledged writes stored", end="")


def works(server):
    """Whether a read and a write succeed now."""
    client = server.client(ALICE, BOUND)
    try:
        read = client.get(READS[0])
        name = f"refs/heads/probe/{time.monotonic_ns()}"
        write = client.call("POST", "/repos/acme/work/git/refs", {"ref": name, "sha": read.json["object"]["sha"]})
        return write.status == 201
    except (OSError, http.client.HTTPException, KeyError):
        return False


def readiness(server):
    return server.client(None, 10).get("/readyz")


def outage(server, what, seconds, begin, finish):
    """Breaks the database under load for some seconds and repairs it."""
    load = Load(server)
    time.sleep(1)
    begin()
    time.sleep(1)
    unready = readiness(server)
    check(unready.status == 503 and unready.seconds < 5, f"{what}: /readyz returns {unready.status}")
    check(server.client(None, 5).get("/healthz").status == 200, f"{what}: /healthz fails")
    time.sleep(seconds)
    finish()
    recovery = until(20, lambda: works(server), f"{what}: recovery")
    until(5, lambda: readiness(server).status == 200, f"{what}: /readyz turns ready")
    time.sleep(1)
    load.end()
    refused = [response for _, _, response in load.responses if response.status == 503]
    check(refused, f"{what}: no request failed, so nothing was tested")
    load.verify(what)
    print(f", recovered {recovery:.2f} s after the database")
    server.doctor()


def on_postgres():
    postgres = Postgres()
    with tempfile.TemporaryDirectory(prefix="forgewright-faults.") as folder:
        server = Server(folder, postgres.create("faults"), "--rate-limits", "off")
        try:
            server.load_world()
            server.start()
            # Longer than a request waits for a connection (5 s), so that some requests fail.
            outage(server, "postgres stopped", 7, postgres.stop, postgres.start)
            outage(server, "postgres frozen", 12,
                   lambda: postgres.signal_all(signal.SIGSTOP), lambda: postgres.signal_all(signal.SIGCONT))
        finally:
            if server.process:
                server.kill()
            postgres.remove()


def writes_fail(server, what, bound, begin, finish):
    """Checks that reads work while writes fail, and that both work afterwards."""
    load = Load(server)
    time.sleep(1)
    begin()
    broken = time.monotonic()
    failures = lambda: [response for _, writing, response in load.responses if writing and response.status == 503]
    until(60, failures, f"{what}: a write fails")
    time.sleep(3)
    repaired = time.monotonic()
    during = [row for row in load.responses if broken + 0.5 < row[0] < repaired]
    check(any(not writing and response.status == 200 for _, writing, response in during), f"{what}: no read succeeds")
    finish()
    recovery = until(20, lambda: works(server), f"{what}: recovery")
    time.sleep(0.5)
    load.end()
    check(max(response.seconds for response in failures()) < bound, f"{what}: errors are slow")
    load.verify(what)
    print(f", recovered {recovery:.2f} s after")
    server.doctor()


def locked_by_another():
    with tempfile.TemporaryDirectory(prefix="forgewright-faults.") as folder:
        server = Server(folder, f"sqlite://{folder}/locked.db", "--rate-limits", "off")
        other = None
        try:
            server.load_world()
            server.start()
            other = sqlite3.connect(f"{folder}/locked.db", isolation_level=None, timeout=10)
            writes_fail(server, "sqlite locked by another process", BOUND,
                        lambda: other.execute("BEGIN EXCLUSIVE"), lambda: other.execute("ROLLBACK"))
        finally:
            if other:
                other.close()
            if server.process:
                server.kill()


def mount(*arguments):
    result = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    check(result.returncode == 0, f"mount {' '.join(arguments)}: {result.stderr} (requires root)")


def on_a_small_disk():
    """Uses a small tmpfs: fills and empties it, and makes it read-only and writable again."""
    with tempfile.TemporaryDirectory(prefix="forgewright-faults.") as folder:
        disk = Path(folder) / "disk"
        disk.mkdir()
        mount("-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk))
        server = Server(folder, f"sqlite://{disk}/small.db", "--rate-limits", "off")
        filler = disk / "filler"

        def fill():
            with open(filler, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"\0" * 4096)
                except OSError:
                    pass

        try:
            server.load_world()
            server.start()
            writes_fail(server, "sqlite on a full disk", BOUND, fill, filler.unlink)
            server.kill(signal.SIGTERM)
            refuses_to_start_read_only(server, disk)
        finally:
            if server.process:
                server.kill()
            subprocess.run(["umount", "-l", str(disk)], check=False)


def refuses_to_start_read_only(server, disk):
    """Checks that the error is one line that names the file, and that nothing changes."""
    mount("-o", "remount,ro", str(disk))
    result = subprocess.run(
        [binary(), "--database-url", server.url, "--listen", "127.0.0.1:0"],
        env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=30,
    )
    mount("-o", "remount,rw", str(disk))
    check(result.returncode == 1, f"read-only: exit code {result.returncode}")
    check("small.db" in result.stderr and "panicked" not in result.stderr, f"read-only: {result.stderr}")
    check(len(result.stderr.strip().splitlines()) == 1, f"read-only: {result.stderr}")
    server.start()
    check(works(server), "the server does not work after the disk was read-only")
    server.kill(signal.SIGTERM)
    print(f"faults sqlite read-only: the error is: {result.stderr.strip()}")


def run(options):
    if "sqlite" in options.databases:
        locked_by_another()
        on_a_small_disk()
    if "postgres" in options.databases:
        on_postgres()
        rewind.run()
