"""Three server processes on one PostgreSQL behave like one, and survive a rolling restart
under load."""

import http.client
import itertools
import signal
import tempfile
import threading
import time

from harness import ALICE, HERE, Postgres, Server, check

WORK = "/repos/acme/work"
LIMIT = 60


class Turns:
    """A client that asks another process each time, and tries the next one when a
    connection is refused. As HTTP asks of clients (RFC 9110, 9.2.2), it repeats what may
    be repeated when a connection that it has kept ends, and nothing else."""

    def __init__(self, servers, token=ALICE):
        self.clients = itertools.cycle([server.client(token) for server in servers])
        self.retries = 0

    def call(self, method, path, body=None, headers=None):
        for _ in range(30):
            client = next(self.clients)
            kept = client.connection is not None
            try:
                return client.call(method, path, body, headers)
            except ConnectionRefusedError:
                self.retries += 1
                time.sleep(0.02)
            except (OSError, http.client.HTTPException):
                if not (kept and method in ("GET", "HEAD", "PUT", "DELETE")):
                    raise
                self.retries += 1
        check(False, "every process refuses connections")

    def get(self, path):
        return self.call("GET", path)


def starts_together(servers):
    """On an empty database: one of them migrates and loads the world, all serve."""
    begun = time.monotonic()
    for server in servers:
        server.spawn()
    for server in servers:
        server.await_ready()
    return time.monotonic() - begun


def revocation(servers):
    """A token that one process revokes is refused by all, from then on."""
    for number in range(10):
        done = servers[0].command("token", "issue", "installation", "--app", "keeper", "--account", "acme")
        token = next(word for word in done.stdout.split() if word.startswith("ghs_"))
        turns = Turns(servers, token)
        for _ in servers:
            check(turns.get("/installation/repositories").status == 200, "a new token is refused")
        revoker = servers[number % len(servers)].client(token)
        check(revoker.call("DELETE", "/installation/token").status == 204, "it is not revoked")
        for _ in servers:
            status = turns.get("/installation/repositories").status
            check(status == 401, f"a revoked token gets {status}")
    return "10 tokens refused by all at once"


def expiry(servers):
    done = servers[0].command("token", "issue", "classic", "--user", "alice", "--scope", "repo", "--expires-in", "2")
    found = [word for word in done.stdout.split() if word.startswith("ghp_")]
    check(found, f"no token: {done.stdout}{done.stderr}")
    turns = Turns(servers, found[0])
    for _ in servers:
        check(turns.get(f"{WORK}/git/ref/heads/main").status == 200, "a new token is refused")
    time.sleep(3.1)
    for _ in servers:
        check(turns.get(f"{WORK}/git/ref/heads/main").status == 401, "an expired token is not refused")
    return "refused by all"


def rate_limit(servers):
    """The budget of an address is one budget, whichever process is asked."""
    turns = Turns(servers, None)
    answers = [turns.get("/repos/acme/nowhere") for _ in range(LIMIT + 30)]
    admitted = [answer for answer in answers if answer.status == 404]
    refused = [answer for answer in answers if answer.status == 403]
    check(len(admitted) == LIMIT, f"{len(admitted)} of {LIMIT} requests were admitted")
    check(len(admitted) + len(refused) == len(answers), "something else was answered")
    remaining = [int(answer.headers["X-RateLimit-Remaining"]) for answer in admitted]
    check(remaining == sorted(remaining, reverse=True), f"the remaining budget goes up: {remaining}")
    check(remaining[-1] == 0, f"the last one leaves {remaining[-1]}")
    check(len({answer.headers["X-RateLimit-Reset"] for answer in answers}) == 1, "the hour ends at several times")
    return f"{len(admitted)} of {len(answers)} admitted, {remaining[0]} to {remaining[-1]} remaining"


def content_limit(servers):
    """Comments that one account may write in a minute, over all processes."""
    turns = Turns(servers)
    head = turns.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    statuses = []
    for number in range(30):
        body = {"body": f"limit {number}", "path": "a.txt", "subject_type": "file", "commit_id": head}
        statuses.append(turns.call("POST", f"{WORK}/pulls/1/comments", body).status)
    check(statuses.count(201) == 20 and statuses.count(403) == 10, f"comments: {statuses}")
    return "20 of 30 comments admitted"


def references(servers):
    """Twelve clients move one branch by compare and swap; each success is seen by
    whoever asks next, at any process."""
    main = servers[0].client().get(f"{WORK}/git/ref/heads/main").json["object"]["sha"]
    topic = servers[0].client().get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    wrong, done = [], [0]

    def work(number):
        turns = Turns(servers[number % 3:] + servers[: number % 3])
        for turn in range(15):
            name = f"heads/race-{number}"
            sha = [main, topic][turn % 2]
            made = turns.call("POST", f"{WORK}/git/refs", {"ref": f"refs/{name}", "sha": sha})
            seen = turns.get(f"{WORK}/git/ref/{name}")
            gone = turns.call("DELETE", f"{WORK}/git/refs/{name}")
            after = turns.get(f"{WORK}/git/ref/{name}")
            told = (made.status, seen.status, gone.status, after.status)
            if told != (201, 200, 204, 404) or seen.json["object"]["sha"] != sha:
                wrong.append(told)
            done[0] += 1

    in_parallel(work, 12)
    check(not wrong, f"a write was not seen: {wrong[:3]}")
    return f"{done[0]} times written, seen, removed and missed"


def cursors(servers):
    """A page that one process gave leads to the next at another."""
    turns = Turns(servers)
    path, names = "/orgs/acme/projectsV2/1/fields?per_page=2", []
    pages = 0
    while path:
        answer = turns.get(path)
        check(answer.status == 200, f"a cursor gets {answer.status} {answer.body[:200]}")
        names += [row["id"] for row in answer.json]
        link = answer.headers.get("Link") or ""
        following = [part for part in link.split(",") if 'rel="next"' in part]
        path = following[0].split("<")[1].split(">")[0].split("/", 3)[3] if following else None
        path = f"/{path}" if path else None
        pages += 1
    check(len(names) == len(set(names)) and pages > 2, f"{pages} pages: {names}")
    return f"{pages} pages, {len(names)} fields, none twice"


def in_parallel(work, count):
    failures = []

    def guarded(number):
        try:
            work(number)
        except Exception as error:
            failures.append(error)
    threads = [threading.Thread(target=guarded, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        check(not thread.is_alive(), "a client hangs")
    if failures:
        raise failures[0]


def rolling_restart(servers, seconds=6):
    """Each process is told to stop and started again while clients work. They try
    again when a connection is refused, and get every answer then. Half of them make a
    connection for each request, and none of those may ever be cut off. The others keep
    theirs, and must expect that one ends; whether a write was made then, they look up."""
    stop, counts, lost, doubts = threading.Event(), [0], [], [0]

    def create(turns, name, keeps):
        try:
            made = turns.call("POST", f"{WORK}/git/refs", {"ref": name, "sha": topic})
            return made.status == 201 or f"{made.status} {made.body[:100]}"
        except (OSError, http.client.HTTPException) as error:
            if not keeps:
                return f"{type(error).__name__} {error}"
            doubts[0] += 1
        found = turns.get(f"{WORK}/git/ref/{name.removeprefix('refs/')}").status
        return True if found == 200 else create(turns, name, False)

    def work(number):
        order, keeps = servers[number % 3:] + servers[: number % 3], number % 2 == 1
        turns = Turns(order)
        while not stop.is_set():
            try:
                if turns.get(f"{WORK}/git/ref/heads/main").status != 200:
                    lost.append("a status")
                made = create(turns, f"refs/heads/roll-{number}/{time.monotonic_ns()}", keeps)
                if made is not True:
                    lost.append(made)
                counts[0] += 2
            except (OSError, http.client.HTTPException) as error:
                lost.append(f"{type(error).__name__} {error}")
            finally:
                for _ in servers if not keeps else ():
                    next(turns.clients).close()

    topic = servers[0].client().get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    runner = threading.Thread(target=lambda: in_parallel(work, 8), daemon=True)
    runner.start()
    restarts = 0
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        for server in servers:
            code = server.kill(signal.SIGTERM)
            check(code == 0, f"a process ended with {code}")
            server.start()
            restarts += 1
    stop.set()
    runner.join(60)
    check(not lost, f"{len(lost)} requests were lost in {restarts} restarts, as: {lost[0] if lost else ''}")
    return f"{restarts} restarts, {counts[0]} requests, none lost, {doubts[0]} looked up"


def run(options):
    postgres = Postgres()
    with tempfile.TemporaryDirectory(prefix="forgewright-processes.") as folder:
        url = postgres.create("processes")
        limits = ["--rate-limit-anonymous", str(LIMIT), "--content-limit-minute", "20",
                  "--rate-limit-user", "1000000", "--rate-limit-installation", "1000000",
                  "--world", str(HERE / "world.yaml")]
        servers = [Server(folder, url, *limits) for _ in range(3)]
        try:
            seconds = starts_together(servers)
            applied = int(postgres.sql("SELECT COUNT(*) FROM seaql_migrations", "processes"))
            twice = int(postgres.sql("SELECT COUNT(*) - COUNT(DISTINCT version) FROM seaql_migrations", "processes"))
            accounts = int(postgres.sql("SELECT COUNT(*) FROM account WHERE login = 'alice'", "processes"))
            check(twice == 0 and accounts == 1, f"{applied} migrations, {accounts} alices")
            print(f"processes start together: {applied} migrations once, ready after {seconds:.2f} s")
            # What is refused as a credential costs the address a request, so its budget goes first.
            for test in (rate_limit, revocation, expiry, content_limit, references, cursors, rolling_restart):
                print(f"processes {test.__name__.replace('_', ' ')}: {test(servers)}")
            check(all(server.panics() == 0 for server in servers), "a process panicked")
            servers[0].doctor()
        finally:
            for server in servers:
                if server.process:
                    server.kill()
            postgres.remove()
