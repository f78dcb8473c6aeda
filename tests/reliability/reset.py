"""The server is killed in the middle of resets. Afterwards the state is the one before or
the one after the reset, on SQLite and on PostgreSQL, and nothing is left of the worlds that
the killed server had made."""

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
    answer = client.get(f"{REPOSITORY}/git/matching-refs/heads/made-")
    check(answer.status == 200, f"the branches cannot be listed: {answer.body}")
    return len(answer.json)


def change(client):
    """Writes what a reset undoes."""
    sha = client.get(f"{REPOSITORY}/git/ref/heads/main").json["object"]["sha"]
    for number in range(BRANCHES):
        made = client.call("POST", f"{REPOSITORY}/git/refs", {"ref": f"refs/heads/made-{number}", "sha": sha})
        check(made.status == 201, f"a branch is not made: {made.body}")


def reset(client):
    answer = client.call("POST", f"{WORLDS}/main/reset")
    check(answer.status == 204, f"the world is not reset: {answer.body}")
    return answer.seconds


def killed_during(server, delay):
    """Whether the reset was acknowledged before the server was killed."""
    acknowledged = []

    def ask():
        try:
            acknowledged.append(server.client().call("POST", f"{WORLDS}/main/reset").status == 204)
        except (OSError, http.client.HTTPException):
            pass
    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(delay)
    server.kill()
    asking.join()
    return bool(acknowledged)


def kill_and_look(server, chance, usual, folder):
    """One round; says whether the reset was done."""
    client = server.client()
    made = client.call("POST", WORLDS, {})
    check(made.status == 201, f"a world is not made: {made.body}")
    change(client)
    acknowledged = killed_during(server, chance.uniform(0, 1.5 * usual))
    server.start()
    client = server.client()
    found = branches(client)
    check(found in (0, BRANCHES), f"{found} of {BRANCHES} branches are left: a state between")
    check(found == 0 or not acknowledged, "a reset that was acknowledged is undone")
    left = list(Path(folder).glob("worlds/*/world-*"))
    check(not left, f"the killed server has left {left}")
    server.doctor()
    reset(client)
    check(branches(client) == 0, "a reset after the crash does nothing")
    return found == 0


def test(server, kind, options):
    chance = random.Random(options.seed)
    folder = server.output.parent
    server.options += ("--control", "on", "--data-dir", str(folder))
    server.load_world()
    server.start()
    client = server.client()
    kept = client.call("PUT", f"{WORLDS}/main/snapshots/loaded")
    check(kept.status == 201, f"no snapshot is made: {kept.body}")
    times = []
    for _ in range(5):
        change(client)
        times.append(reset(client))
    usual = sorted(times)[2]
    done = [kill_and_look(server, chance, usual, folder) for _ in range(options.rounds)]
    check(server.panics() == 0, "the server panicked")
    print(f"reset {kind}: {len(done)} kills, {sum(done)} after the reset, a reset takes {usual * 1000:.0f} ms")


def run(options):
    on_each_database("reset", options, test)
