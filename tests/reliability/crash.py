"""Kills the server again and again while sixteen clients write. After each kill every
acknowledged write is there, no write is there in part, and the doctor finds nothing."""

import random
import time

from harness import on_each_database
from writers import crew, let_work


def run(options):
    on_each_database("crash", options, rounds)


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
