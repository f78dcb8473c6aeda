"""Backs up a SQLite database while sixteen clients write to it. Each backup is consistent, has all
data from before its start, and restores completely. On PostgreSQL, the commands in
docs/operating.md back up and restore a database."""

import os
import random
import re
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from harness import HERE, Postgres, Server, check
from writers import Comments, Fields, create_writers, start_writers


def rows(file):
    """The rows of every table, and the schema."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    listed = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    tables = {name: sorted(database.execute(f'SELECT * FROM "{name}"'), key=repr) for (name,) in listed.fetchall()}
    schema = sorted(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"), key=repr)
    database.close()
    return tables, schema


def restored(server, copy, folder):
    other = Server(folder, f"sqlite://{folder}/restored-{copy.stem}.db", "--rate-limits", "off")
    result = other.command("restore", str(copy))
    check(result.returncode == 0, f"restore: {result.stderr}")
    other.doctor()
    return other


def under_load(server, folder, number, writers):
    """Checks that a backup has every value that no client changed meanwhile."""
    copy = Path(folder) / f"copy-{number}.db"
    before = {writer: dict(writer.known) for writer in writers}
    started = time.monotonic()
    result = server.command("backup", str(copy))
    seconds = time.monotonic() - started
    check(result.returncode == 0, f"backup: {result.stderr}")
    after = {writer: (dict(writer.known), writer.pending) for writer in writers}
    other = restored(server, copy, folder)
    other.start()
    compared = 0
    try:
        client = other.client()
        for writer in writers:
            if not isinstance(writer, (Comments, Fields)):
                continue
            # A separate reader, because the writer is still running.
            found = type(writer)(writer.number, other, None).read(client)
            known, pending = after[writer]
            for key, value in before[writer].items():
                if known.get(key) == value and not (pending and pending[0] == key):
                    check(found.get(key) == value, f"{key} differs in the backup")
                    compared += 1
    finally:
        other.kill()
    return seconds, compared


def errors(server, folder):
    """Checks that no file is overwritten and no damaged backup is restored."""
    copy = str(Path(folder) / "copy-0.db")
    again = server.command("backup", copy)
    check(again.returncode == 1 and "already exists" in again.stderr, f"a second backup: {again.stderr}")
    onto = server.command("restore", copy)
    check(onto.returncode == 1 and "already exists" in onto.stderr, f"restore onto a database: {onto.stderr}")
    damaged = Path(folder) / "damaged.db"
    whole = Path(copy).read_bytes()
    damaged.write_bytes(whole[: len(whole) // 2])
    elsewhere = Server(folder, f"sqlite://{folder}/elsewhere.db")
    result = elsewhere.command("restore", str(damaged))
    check(result.returncode == 1 and "panicked" not in result.stderr, f"a damaged copy: {result.stderr}")
    check(not (Path(folder) / "elsewhere.db").exists(), "a damaged copy was restored")
    left = [name for name in os.listdir(folder) if name.endswith(".unfinished")]
    check(not left, f"unfinished files remain: {left}")


def documented_on_postgres(folder):
    """Runs the documented commands verbatim, on a database with the documented name."""
    page = (HERE.parent.parent / "docs" / "operating.md").read_text()
    commands = [re.search(rf"`({tool} [^`]*)`", page)[1] for tool in ("pg_dump", "pg_restore")]
    postgres = Postgres()
    try:
        server = Server(folder, postgres.create("forge"))
        server.load_world()
        environment = {"PATH": f"{postgres.bin}:{os.environ['PATH']}", "PGHOST": str(postgres.folder),
                       "PGPORT": str(postgres.port), "PGUSER": "forgewright"}
        for number, command in enumerate(commands):
            result = subprocess.run(["bash", "-eu", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            check(result.returncode == 0, f"{command}: {result.stderr}")
            if number == 0:
                postgres.sql("DROP DATABASE forge")
        server.doctor()
        print(f"backup postgres: {' and '.join(commands)} restore the database, and the doctor finds nothing")
    finally:
        postgres.remove()


def run(options):
    if "postgres" in options.databases:
        with tempfile.TemporaryDirectory(prefix="forgewright-backup.") as folder:
            documented_on_postgres(folder)
    if "sqlite" in options.databases:
        on_sqlite(options)


def on_sqlite(options):
    with tempfile.TemporaryDirectory(prefix="forgewright-backup.") as folder:
        server = Server(folder, f"sqlite://{folder}/live.db", "--rate-limits", "off")
        server.load_world()
        server.start()
        try:
            writers = create_writers(server, lambda number: random.Random(f"{options.seed}/{number}"))
            end = start_writers(writers)
            time.sleep(2)
            times, compared = zip(*[under_load(server, folder, number, writers) for number in range(3)])
            end()
            check(sum(writer.unanswered for writer in writers) == 0, "a write failed during a backup")
            errors(server, folder)
            last = Path(folder) / "last.db"
            check(server.command("backup", str(last)).returncode == 0, "the last backup fails")
            restored(server, last, folder)
            live, copy = rows(f"{folder}/live.db"), rows(f"{folder}/restored-last.db")
            check(live == copy, "the restored database differs")
            count = sum(len(table) for table in live[0].values())
            print(f"backup: 3 copies under load in {max(times):.2f} s at most, {sum(compared)} values compared; "
                  f"{count} rows in {len(live[0])} tables equal after a restore")
        finally:
            server.kill()
