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
    """A client that uses the processes in turn, and tries the next one if a connection is refused. If
    a persistent connection closes, it retries idempotent requests only (RFC 9110, 9.2.2)."""

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
    """Starts all processes on an empty database: one migrates it and loads the world."""
    started = time.monotonic()
    for server in servers:
        server.spawn()
    for server in servers:
        server.await_ready()
    return time.monotonic() - started


def revocation(servers):
    """All processes reject a token as soon as one has revoked it."""
    for number in range(10):
        result = servers[0].command("token", "issue", "installation", "--app", "keeper", "--account", "acme")
        token = next(word for word in result.stdout.split() if word.startswith("ghs_"))
        turns = Turns(servers, token)
        for _ in servers:
            check(turns.get("/installation/repositories").status == 200, "a new token is refused")
        revoker = servers[number % len(servers)].client(token)
        check(revoker.call("DELETE", "/installation/token").status == 204, "the revocation fails")
        for _ in servers:
            status = turns.get("/installation/repositories").status
            check(status == 401, f"a revoked token gets {status}")
    return "10 revoked tokens rejected by all at once"


def expiry(servers):
    result = servers[0].command("token", "issue", "classic", "--user", "alice", "--scope", "repo", "--expires-in", "2")
    found = [word for word in result.stdout.split() if word.startswith("ghp_")]
    check(found, f"no token: {result.stdout}{result.stderr}")
    turns = Turns(servers, found[0])
    for _ in servers:
        check(turns.get(f"{WORK}/git/ref/heads/main").status == 200, "a new token is refused")
    time.sleep(3.1)
    for _ in servers:
        check(turns.get(f"{WORK}/git/ref/heads/main").status == 401, "an expired token is accepted")
    return "rejected by all"


def rate_limit(servers):
    """All processes share the rate limit of an address."""
    turns = Turns(servers, None)
    responses = [turns.get("/repos/acme/nowhere") for _ in range(LIMIT + 30)]
    admitted = [response for response in responses if response.status == 404]
    refused = [response for response in responses if response.status == 403]
    check(len(admitted) == LIMIT, f"{len(admitted)} of {LIMIT} requests were admitted")
    check(len(admitted) + len(refused) == len(responses), "there are other responses")
    remaining = [int(response.headers["X-RateLimit-Remaining"]) for response in admitted]
    check(remaining == sorted(remaining, reverse=True), f"the remaining budget increases: {remaining}")
    check(remaining[-1] == 0, f"the last response has {remaining[-1]} remaining")
    check(len({response.headers["X-RateLimit-Reset"] for response in responses}) == 1, "the reset times differ")
    return f"{len(admitted)} of {len(responses)} admitted, {remaining[0]} to {remaining[-1]} remaining"


def content_limit(servers):
    """All processes share the limit of comments per minute."""
    turns = Turns(servers)
    head = turns.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    statuses = []
    for number in range(30):
        body = {"body": f"limit {number}", "path": "a.txt", "subject_type": "file", "commit_id": head}
        statuses.append(turns.call("POST", f"{WORK}/pulls/1/comments", body).status)
    check(statuses.count(201) == 20 and statuses.count(403) == 10, f"comments: {statuses}")
    return "20 of 30 comments admitted"


def references(servers):
    """Twelve clients create and delete branches; each change is immediately visible at every
    process."""
    main = servers[0].client().get(f"{WORK}/git/ref/heads/main").json["object"]["sha"]
    topic = servers[0].client().get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    wrong, done = [], [0]

    def work(number):
        turns = Turns(servers[number % 3:] + servers[: number % 3])
        for turn in range(15):
            name = f"heads/race-{number}"
            sha = [main, topic][turn % 2]
            created = turns.call("POST", f"{WORK}/git/refs", {"ref": f"refs/{name}", "sha": sha})
            seen = turns.get(f"{WORK}/git/ref/{name}")
            gone = turns.call("DELETE", f"{WORK}/git/refs/{name}")
            after = turns.get(f"{WORK}/git/ref/{name}")
            statuses = (created.status, seen.status, gone.status, after.status)
            if statuses != (201, 200, 204, 404) or seen.json["object"]["sha"] != sha:
                wrong.append(statuses)
            done[0] += 1

    in_parallel(work, 12)
    check(not wrong, f"a change was not visible: {wrong[:3]}")
    return f"{done[0]} branches created, read and deleted"


def cursors(servers):
    """A cursor of one process works at another."""
    turns = Turns(servers)
    path, names = "/orgs/acme/projectsV2/1/fields?per_page=2", []
    pages = 0
    while path:
        response = turns.get(path)
        check(response.status == 200, f"a cursor gets {response.status} {response.body[:200]}")
        names += [row["id"] for row in response.json]
        link = response.headers.get("Link") or ""
        following = [part for part in link.split(",") if 'rel="next"' in part]
        path = following[0].split("<")[1].split(">")[0].split("/", 3)[3] if following else None
        path = f"/{path}" if path else None
        pages += 1
    check(len(names) == len(set(names)) and pages > 2, f"{pages} pages: {names}")
    return f"{pages} pages, {len(names)} fields, no duplicates"


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
    """Restarts the processes in turn while clients send requests. The clients retry refused
    connections, and must get a response to every request. Half of them open a connection for each
    request; the server must never cut one off. The others use persistent connections, which the
    server may close; they then check whether their write took effect."""
    stop, counts, lost, doubts = threading.Event(), [0], [], [0]

    def create(turns, name, keeps):
        try:
            created = turns.call("POST", f"{WORK}/git/refs", {"ref": name, "sha": topic})
            return created.status == 201 or f"{created.status} {created.body[:100]}"
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
                created = create(turns, f"refs/heads/roll-{number}/{time.monotonic_ns()}", keeps)
                if created is not True:
                    lost.append(created)
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
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        for server in servers:
            code = server.kill(signal.SIGTERM)
            check(code == 0, f"a process exited with {code}")
            server.start()
            restarts += 1
    stop.set()
    runner.join(60)
    check(not lost, f"{len(lost)} requests were lost in {restarts} restarts, as: {lost[0] if lost else ''}")
    return f"{restarts} restarts, {counts[0]} requests, none lost, {doubts[0]} checked for their effect"


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
            # Requests with invalid credentials count against the address, so test its limit first.
            for test in (rate_limit, revocation, expiry, content_limit, references, cursors, rolling_restart):
                print(f"processes {test.__name__.replace('_', ' ')}: {test(servers)}")
            check(all(server.panics() == 0 for server in servers), "a process panicked")
            servers[0].doctor()
        finally:
            for server in servers:
                if server.process:
                    server.kill()
            postgres.remove()
