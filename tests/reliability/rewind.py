"""A crash of PostgreSQL forgets transactions that were rolled back, and gives their
numbers to the next ones: two states of the data look the same from outside. Nothing
may be answered from a cache that cannot tell them apart."""

import os
import signal
import tempfile

from harness import Broken, Postgres, Server, check, until
from pooler import Pooler

REPOSITORY = "/repos/acme/work"

# PostgreSQL forgets a transaction in most crashes, not in all. No answer may be stale after any.
CRASHES = 5

# Nothing is written to the log in the background, so that the crash forgets it.
QUIET = {"wal_level": "minimal", "max_wal_senders": "0", "wal_writer_delay": "10s", "autovacuum": "off"}


def crash(postgres):
    """Kills one backend, as the kernel does when memory is short. PostgreSQL then
    ends all others, and recovers."""
    before = checkpointer(postgres)
    backend = postgres.sql("SELECT pid FROM pg_stat_activity WHERE datname = 'rewind' LIMIT 1")
    check(before and backend, "the server has no connection")
    os.kill(int(backend), signal.SIGKILL)
    until(30, lambda: checkpointer(postgres) not in ("", before), "PostgreSQL recovers")


def checkpointer(postgres):
    """The process that writes checkpoints: another one after each recovery."""
    try:
        return postgres.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    except Broken:
        return ""


def snapshot(postgres):
    return postgres.sql("SELECT pg_current_snapshot()", "rewind")


def update_after_crash(postgres, pooler, server, changed):
    """Changes a repository after a crash. Says whether the change got the number of a
    transaction that the crash made PostgreSQL forget: now and then the log is
    written just before."""
    client = server.client()
    until(20, lambda: client.get(REPOSITORY).status == 200, "the server answers")
    postgres.sql("CHECKPOINT")
    postgres.sql("BEGIN; INSERT INTO setting (key, value) VALUES ('lost', ''); ROLLBACK", "rewind")
    for _ in range(2):
        check(client.get(REPOSITORY).status == 200, "it is not answered before the crash")
    before = snapshot(postgres)
    crash(postgres)
    postgres.sql(f"UPDATE repository SET description = '{changed}' WHERE id = 2001", "rewind")
    came_back = before == snapshot(postgres)
    found = []

    def answered():
        answer = client.get(REPOSITORY)
        found.append(answer)
        return answer.status == 200
    seconds = until(20, answered, "the server answers again")
    description = found[-1].json["description"]
    check(description == changed, f"stale after the crash: the description is {description!r}")
    if came_back:
        print(f"faults postgres forgets a transaction: answered {seconds:.2f} s after the update, "
              f"up to date, {pooler.survivors} connections survived")
    return came_back


def run():
    postgres = Postgres(**QUIET)
    pooler = Pooler(postgres.port)
    with tempfile.TemporaryDirectory(prefix="forgewright-rewind.") as folder:
        postgres.create("rewind")
        url = f"postgres://forgewright@127.0.0.1:{pooler.port}/rewind?sslmode=disable"
        server = Server(folder, url, "--rate-limits", "off")
        try:
            server.load_world()
            server.start()
            crashes = (update_after_crash(postgres, pooler, server, f"After crash {n}") for n in range(CRASHES))
            check(any(crashes), "no transaction id came back, so nothing was tested")
            check(server.panics() == 0, "the server panicked")
        finally:
            if server.process:
                server.kill()
            pooler.close()
            postgres.remove()
