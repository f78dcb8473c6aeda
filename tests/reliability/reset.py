"""Kills the server in the middle of resets. Afterwards the world has the state from before or after
the reset, and nothing is left of the other worlds of the killed server."""

import http.client
import random
import threading
import time
from pathlib import Path

from harness import check, on_each_database

REPOSITORY = "/repos/acme/work"
WORLDS = "/_forgewright/worlds"
BRANCHES = 20


def branches(client):
    response = client.get(f"{REPOSITORY}/git/matching-refs/heads/made-")
    check(response.status == 200, f"cannot list the branches: {response.body}")
    return len(response.json)


def change(client):
    """Makes changes for the reset to undo."""
    sha = client.get(f"{REPOSITORY}/git/ref/heads/main").json["object"]["sha"]
    for number in range(BRANCHES):
        created = client.call("POST", f"{REPOSITORY}/git/refs", {"ref": f"refs/heads/made-{number}", "sha": sha})
        check(created.status == 201, f"cannot create a branch: {created.body}")


def reset(client):
    response = client.call("POST", f"{WORLDS}/main/reset")
    check(response.status == 204, f"cannot reset the world: {response.body}")
    return response.seconds


def kill_during_reset(server, delay):
    """Kills the server during a reset; returns whether the reset was acknowledged."""
    acknowledged = []

    def send():
        try:
            acknowledged.append(server.client().call("POST", f"{WORLDS}/main/reset").status == 204)
        except (OSError, http.client.HTTPException):
            pass
    sender = threading.Thread(target=send)
    sender.start()
    time.sleep(delay)
    server.kill()
    sender.join()
    return bool(acknowledged)


def kill_and_check(server, rng, usual, folder):
    """Runs one round; returns whether the reset took effect."""
    client = server.client()
    created = client.call("POST", WORLDS, {})
    check(created.status == 201, f"cannot create a world: {created.body}")
    change(client)
    acknowledged = kill_during_reset(server, rng.uniform(0, 1.5 * usual))
    server.start()
    client = server.client()
    found = branches(client)
    check(found in (0, BRANCHES), f"a partial reset: {found} of {BRANCHES} branches remain")
    check(found == 0 or not acknowledged, "an acknowledged reset is lost")
    left = list(Path(folder).glob("worlds/*/world-*"))
    check(not left, f"worlds of the killed server remain: {left}")
    server.doctor()
    reset(client)
    check(branches(client) == 0, "a reset after the crash has no effect")
    return found == 0


def test(server, kind, options):
    rng = random.Random(options.seed)
    folder = server.output.parent
    server.options += ("--control", "on", "--data-dir", str(folder))
    server.load_world()
    server.start()
    client = server.client()
    snapshot = client.call("PUT", f"{WORLDS}/main/snapshots/loaded")
    check(snapshot.status == 201, f"cannot create a snapshot: {snapshot.body}")
    times = []
    for _ in range(5):
        change(client)
        times.append(reset(client))
    usual = sorted(times)[2]
    done = [kill_and_check(server, rng, usual, folder) for _ in range(options.rounds)]
    check(server.panics() == 0, "the server panicked")
    print(f"reset {kind}: {len(done)} kills, {sum(done)} resets took effect, a reset takes {usual * 1000:.0f} ms")


def run(options):
    on_each_database("reset", options, test)
