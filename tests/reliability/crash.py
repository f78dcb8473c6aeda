"""Kills the server repeatedly while sixteen clients write, and then while a client pushes many
objects. After each kill every acknowledged write is stored, no write is stored partially, and the
doctor finds nothing."""

import http.client
import random
import threading
import time

from harness import ALICE, check, on_each_database
from support import packs
from writers import create_writers, start_writers

# Enough for a second of a debug build, in tens of transactions.
OBJECTS = 10_000
# A repository each time: an interrupted push is in the way of the next one for half a minute.
REPOSITORIES = ["work", "r1", "r2", "r3", "r4", "kept"]


def run(options):
    on_each_database("crash", options, rounds)
    on_each_database("crash", options, pushes)


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


def push(server, repository, pushed, answers):
    """Pushes a pack, and notes whether that was acknowledged; a killed server answers nothing."""
    packed, new = pushed
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=240)
    headers = {"Authorization": packs.basic(ALICE), "Content-Type": "application/x-git-receive-pack-request"}
    try:
        body = packs.push("refs/heads/many", new, packed)
        connection.request("POST", f"/acme/{repository}.git/git-receive-pack", body, headers)
        answers.append(b"ok refs" in connection.getresponse().read())
    except (OSError, http.client.HTTPException):
        answers.append(False)
    finally:
        connection.close()


def pushes(server, kind, options):
    rng = random.Random(options.seed)
    server.load_world()
    server.start()
    repeated = None
    started, stored, kills = time.monotonic(), 0, min(options.rounds, len(REPOSITORIES))
    for repository in REPOSITORIES[:kills]:
        answers = []
        sent = (server, repository, packs.many(OBJECTS), answers)
        pushing = threading.Thread(target=push, args=sent, daemon=True)
        pushing.start()
        time.sleep(rng.uniform(0.2, 1.2))
        server.kill()
        pushing.join(60)
        server.doctor()
        server.start()
        found = server.client().get(f"/repos/acme/{repository}/git/ref/heads/many").status == 200
        check(found or answers != [True], "an acknowledged push was lost")
        stored += found
        if not found:
            repeated = sent
    if repeated:
        push(*repeated)
        check(repeated[-1][-1], "the push cannot be repeated")
        server.doctor()
    print(f"crash {kind}: {kills} kills during a push of {OBJECTS} objects, {stored} of them stored, "
          f"no findings of the doctor, {'the last one repeated' if repeated else 'none to repeat'}, {time.monotonic() - started:.0f} s (seed {options.seed})")
