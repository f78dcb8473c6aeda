"""Copies of a SQLite database, made while sixteen clients write to it: each is whole,
has all that was there before it began, and comes back to the last row. On PostgreSQL, the
commands that docs/operating.md gives bring a database back."""

import os
import random
import re
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from harness import HERE, Postgres, Server, check
from writers import Comments, Fields, crew, let_work


def rows(file):
    """Every table of a database, with all that is in it."""
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    listed = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    tables = {name: sorted(database.execute(f'SELECT * FROM "{name}"'), key=repr) for (name,) in listed.fetchall()}
    schema = sorted(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"), key=repr)
    database.close()
    return tables, schema


def restored(server, copy, folder):
    other = Server(folder, f"sqlite://{folder}/restored-{copy.stem}.db", "--rate-limits", "off")
    done = other.command("restore", str(copy))
    check(done.returncode == 0, f"restore: {done.stderr}")
    other.doctor()
    return other


def under_load(server, folder, number, writers):
    """Whatever nobody changed during the copy is the same in it."""
    copy = Path(folder) / f"copy-{number}.db"
    before = {writer: dict(writer.known) for writer in writers}
    begun = time.monotonic()
    done = server.command("backup", str(copy))
    seconds = time.monotonic() - begun
    check(done.returncode == 0, f"backup: {done.stderr}")
    after = {writer: (dict(writer.known), writer.pending) for writer in writers}
    other = restored(server, copy, folder)
    other.start()
    compared = 0
    try:
        client = other.client()
        for writer in writers:
            if not isinstance(writer, (Comments, Fields)):
                continue
            # One that reads alone: the writer is at work.
            found = type(writer)(writer.number, other, None).read(client)
            known, pending = after[writer]
            for key, value in before[writer].items():
                if known.get(key) == value and not (pending and pending[0] == key):
                    check(found.get(key) == value, f"{key} is not in the copy as it was")
                    compared += 1
    finally:
        other.kill()
    return seconds, compared


def refusals(server, folder):
    """Nothing is overwritten, and damage is not restored."""
    copy = str(Path(folder) / "copy-0.db")
    again = server.command("backup", copy)
    check(again.returncode == 1 and "already exists" in again.stderr, f"a second backup: {again.stderr}")
    onto = server.command("restore", copy)
    check(onto.returncode == 1 and "already exists" in onto.stderr, f"restore onto a database: {onto.stderr}")
    damaged = Path(folder) / "damaged.db"
    whole = Path(copy).read_bytes()
    damaged.write_bytes(whole[: len(whole) // 2])
    elsewhere = Server(folder, f"sqlite://{folder}/elsewhere.db")
    done = elsewhere.command("restore", str(damaged))
    check(done.returncode == 1 and "panicked" not in done.stderr, f"a damaged copy: {done.stderr}")
    check(not (Path(folder) / "elsewhere.db").exists(), "a damaged copy was restored")
    left = [name for name in os.listdir(folder) if name.endswith(".unfinished")]
    check(not left, f"something was left behind: {left}")


def documented_on_postgres(folder):
    """Runs the documented commands, letter by letter, on a database of the documented name."""
    page = (HERE.parent.parent / "docs" / "operating.md").read_text()
    commands = [re.search(rf"`({tool} [^`]*)`", page)[1] for tool in ("pg_dump", "pg_restore")]
    postgres = Postgres()
    try:
        server = Server(folder, postgres.create("forge"))
        server.load_world()
        environment = {"PATH": f"{postgres.bin}:{os.environ['PATH']}", "PGHOST": str(postgres.folder),
                       "PGPORT": str(postgres.port), "PGUSER": "forgewright"}
        for number, command in enumerate(commands):
            done = subprocess.run(["bash", "-eu", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            check(done.returncode == 0, f"{command}: {done.stderr}")
            if number == 0:
                postgres.sql("DROP DATABASE forge")
        server.doctor()
        print(f"backup postgres: {' and '.join(commands)} bring the database back, and the doctor finds nothing")
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
            writers = crew(server, lambda number: random.Random(f"{options.seed}/{number}"))
            end = let_work(writers)
            time.sleep(2)
            times, compared = zip(*[under_load(server, folder, number, writers) for number in range(3)])
            end()
            check(sum(writer.unanswered for writer in writers) == 0, "a backup made a write fail")
            refusals(server, folder)
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
