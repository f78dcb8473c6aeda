"""Sixteen clients write, the server is killed in the middle, again and again. After
each time every write that was acknowledged is there, none is half there, and the
doctor finds nothing."""

import random
import tempfile
import time

from harness import Postgres, Server
from writers import crew, let_work


def run(options):
    for kind in options.databases:
        with tempfile.TemporaryDirectory(prefix="forgewright-crash.") as folder:
            postgres = Postgres() if kind == "postgres" else None
            try:
                url = postgres.create("crash") if postgres else f"sqlite://{folder}/crash.db"
                rounds(Server(folder, url, "--rate-limits", "off"), kind, options)
            finally:
                if postgres:
                    postgres.remove()


def rounds(server, kind, options):
    chance = random.Random(options.seed)
    server.load_world()
    server.start()
    writers = crew(server, lambda number: random.Random(f"{options.seed}/{number}"))
    restarts = []
    begun = time.monotonic()
    try:
        for _ in range(options.rounds):
            end = let_work(writers)
            time.sleep(chance.uniform(0.05, 2.0))
            server.kill()
            end()
            server.doctor()
            restarts.append(server.start())
            client = server.client()
            for writer in writers:
                writer.verify(client)
            client.close()
    finally:
        if server.process:
            server.kill()
    acknowledged = sum(writer.acknowledged for writer in writers)
    unanswered = sum(writer.unanswered for writer in writers)
    print(f"crash {kind}: {options.rounds} kills, {acknowledged} acknowledged writes all there, "
          f"{unanswered} unanswered whole or absent, doctor clean each time, "
          f"ready after {max(restarts):.2f} s at most, {time.monotonic() - begun:.0f} s (seed {options.seed})")
