"""Kills the server repeatedly while sixteen clients write. After each kill every acknowledged write
is stored, no write is stored partially, and the doctor finds nothing."""

import random
import time

from harness import on_each_database
from writers import create_writers, start_writers


def run(options):
    on_each_database("crash", options, rounds)


def rounds(server, kind, options):
    rng = random.Random(options.seed)
    server.load_world()
    server.start()
    writers = create_writers(server, lambda number: random.Random(f"{options.seed}/{number}"))
    restarts = []
    started = time.monotonic()
    try:
        for _ in range(options.rounds):
            end = start_writers(writers)
            time.sleep(rng.uniform(0.05, 2.0))
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
    print(f"crash {kind}: {options.rounds} kills, all {acknowledged} acknowledged writes stored, "
          f"{unanswered} unacknowledged writes stored completely or not at all, no findings of the doctor, "
          f"ready after at most {max(restarts):.2f} s, {time.monotonic() - started:.0f} s (seed {options.seed})")
