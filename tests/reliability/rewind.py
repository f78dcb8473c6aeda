"""After a crash, PostgreSQL may reuse the ids of transactions that were rolled back. Then two
different states of the data have the same snapshot. The cache must not return a stale response
for such a snapshot."""

import os
import signal
import tempfile

from harness import CheckFailed, Postgres, Server, check, until
from pooler import Pooler

REPOSITORY = "/repos/acme/work"

# PostgreSQL reuses a transaction id after most crashes, but not after all. No response may be stale
# after any of them.
CRASHES = 5

# Settings without background writes to the WAL, so that a crash loses the transaction.
NO_BACKGROUND_WRITES = {"wal_level": "minimal", "max_wal_senders": "0", "wal_writer_delay": "10s", "autovacuum": "off"}


def crash(postgres):
    """Kills one backend, as the OOM killer does. PostgreSQL then terminates all others and
    recovers."""
    before = checkpointer(postgres)
    backend = postgres.sql("SELECT pid FROM pg_stat_activity WHERE datname = 'rewind' LIMIT 1")
    check(before and backend, "the server has no connection")
    os.kill(int(backend), signal.SIGKILL)
    until(30, lambda: checkpointer(postgres) not in ("", before), "PostgreSQL recovers")


def checkpointer(postgres):
    """The process id of the checkpointer, which changes with each recovery."""
    try:
        return postgres.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    except CheckFailed:
        return ""


def snapshot(postgres):
    return postgres.sql("SELECT pg_current_snapshot()", "rewind")


def update_after_crash(postgres, pooler, server, changed):
    """Changes a repository after a crash. Returns whether the change reused the id of a lost
    transaction; sometimes the WAL is flushed just before the crash."""
    client = server.client()
    until(20, lambda: client.get(REPOSITORY).status == 200, "the server responds")
    postgres.sql("CHECKPOINT")
    postgres.sql("BEGIN; INSERT INTO setting (key, value) VALUES ('lost', ''); ROLLBACK", "rewind")
    for _ in range(2):
        check(client.get(REPOSITORY).status == 200, "a request before the crash fails")
    before = snapshot(postgres)
    crash(postgres)
    postgres.sql(f"UPDATE repository SET description = '{changed}' WHERE id = 2001", "rewind")
    reused = before == snapshot(postgres)
    found = []

    def responds():
        response = client.get(REPOSITORY)
        found.append(response)
        return response.status == 200
    seconds = until(20, responds, "the server responds again")
    description = found[-1].json["description"]
    check(description == changed, f"stale after the crash: the description is {description!r}")
    if reused:
        print(f"faults postgres reuses a transaction id: current response {seconds:.2f} s after the update, "
              f"{pooler.survivors} connections survived")
    return reused


def run():
    postgres = Postgres(**NO_BACKGROUND_WRITES)
    pooler = Pooler(postgres.port)
    with tempfile.TemporaryDirectory(prefix="forgewright-rewind.") as folder:
        postgres.create("rewind")
        url = f"postgres://forgewright@127.0.0.1:{pooler.port}/rewind?sslmode=disable"
        server = Server(folder, url, "--rate-limits", "off")
        try:
            server.load_world()
            server.start()
            crashes = (update_after_crash(postgres, pooler, server, f"After crash {n}") for n in range(CRASHES))
            check(any(crashes), "no transaction id was reused, so nothing was tested")
            check(server.panics() == 0, "the server panicked")
        finally:
            if server.process:
                server.kill()
            pooler.close()
            postgres.remove()
