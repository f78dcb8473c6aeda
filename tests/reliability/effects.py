"""What a failover must not repeat, lose or show too late: deliveries, budgets, pushes, and a value
that is read at every process."""

import http.client
import itertools
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from harness import ALICE, Client, Response, check, until
from support import packs
from writers import LOST, REPOSITORY, References, Writer

APP = """  - id: 6002
    slug: listener
    name: Listener
    owner: acme
    client_id: Iv23listener
    permissions: {{contents: read, metadata: read}}
    events: [create]
    webhook: {{url: "http://127.0.0.1:{port}/hook", secret: hush}}
"""
INSTALLATION = "  - {id: 7002, app: listener, account: acme, repository_selection: selected, repositories: [r4]}\n"
GIT = """    git:
      commits: [{id: only, message: Begin, author: alice, date: 2026-02-16T11:00:00Z, files: {a.txt: one}}]
      refs: {refs/heads/main: only}
"""


class Deliveries:
    """An app's receiver of webhooks. Each event must arrive, and under one id only: a delivery whose
    response was lost is sent again under its id."""

    def __init__(self):
        self.received, lock = {}, threading.Lock()
        received = self.received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    received.setdefault(event.get("ref"), set()).add(self.headers["X-GitHub-Delivery"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass
        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def subscribed(self, world):
        """The world with an app that hears of new references in acme/r4."""
        app = APP.format(port=self.listener.server_port)
        repository = "  - {id: 2014, full_name: acme/r4, visibility: private}\n"
        check(repository in world, "the world has no acme/r4")
        block = "  - id: 2014\n    full_name: acme/r4\n    visibility: private\n" + GIT
        return (world.replace(repository, block).replace("apps:\n", "apps:\n" + app)
                .replace("\ninstallations:\n", "\ninstallations:\n" + INSTALLATION))

    def verify(self, writer):
        """Every reference of a writer was announced once, and nothing else was."""
        names = {name.removeprefix("refs/heads/") for name in writer.known}
        until(60, lambda: names <= set(self.received), "every event is delivered")
        time.sleep(1)
        others = set(self.received) - names
        check(not others, f"events of references that were not created: {sorted(others)[:3]}")
        twice = [name for name, ids in self.received.items() if len(ids) > 1]
        check(not twice, f"events with two deliveries: {twice[:3]}")

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()


class Watched(Writer):
    """Creates references that an app hears of."""

    def __init__(self, number, server, random, deliveries):
        super().__init__(number, server, random)
        self.sha = server.client().get("/repos/acme/r4/git/ref/heads/main").json["object"]["sha"]

    def choose(self):
        return f"refs/heads/w{self.number}/{self.fresh()}", self.sha

    def write(self, client, name, sha):
        return client.call("POST", "/repos/acme/r4/git/refs", {"ref": name, "sha": sha})

    def read(self, client):
        listed = client.get(f"/repos/acme/r4/git/matching-refs/heads/w{self.number}/")
        check(listed.status == 200, f"matching-refs: {listed.status}")
        return {row["ref"]: row["object"]["sha"] for row in listed.json}


class Pushes(Writer):
    """Pushes packs to a new branch each time."""

    def choose(self):
        name = self.fresh()
        self.packed, new = packs.many(20, name.encode())
        return f"refs/heads/{name}", new

    def write(self, client, name, new):
        connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=client.timeout)
        headers = {"Authorization": packs.basic(ALICE), "Content-Type": "application/x-git-receive-pack-request"}
        try:
            connection.request("POST", "/acme/kept.git/git-receive-pack", packs.push(name, new, self.packed), headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        # Git clients get an error as plain text.
        if answer.status == 503 and answer.headers["Retry-After"] or answer.status == 200 and b"ok refs" not in text:
            raise OSError(f"refused: {text[:200]}")
        return Response(answer.status, answer.headers, text, 0)

    def read(self, client):
        listed = client.get(f"/repos/acme/kept/git/matching-refs/heads/w{self.number}-")
        check(listed.status == 200, f"matching-refs: {listed.status}")
        return {row["ref"]: row["object"]["sha"] for row in listed.json}


class Register:
    """A comment whose text is a number that only grows. One client changes it at all processes in turn,
    and goes on after errors; one reader for each process must never see less than what was
    acknowledged before it asked."""

    def __init__(self, servers, number):
        self.servers, self.number = servers, number
        self.acknowledged = self.unanswered = self.reads = self.floor = self.tried = 0
        self.wrong = []
        body = {"body": "0", "path": "a.txt", "line": 2, "side": "RIGHT", "commit_id": References.commits[2]}
        created = servers[0].client().call("POST", f"{REPOSITORY}/pulls/1/comments", body)
        check(created.status == 201, f"a comment: {created.status} {created.body[:200]}")
        self.path = f"{REPOSITORY}/pulls/comments/{created.json['id']}"

    def start(self):
        self.stop = threading.Event()
        readers = [threading.Thread(target=self.read, args=(server,), daemon=True) for server in self.servers]
        self.threads = [threading.Thread(target=self.write, daemon=True), *readers]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)
            check(not thread.is_alive(), "a client hangs")
        check(not self.wrong, self.wrong[0] if self.wrong else "")

    def write(self):
        clients = itertools.cycle([Client(server.port) for server in self.servers])
        while not self.stop.wait(0.02):
            client = next(clients)
            self.tried += 1
            mine = self.tried
            response = self.answer(client, "PATCH", {"body": str(mine)})
            if response is None:
                self.unanswered += 1
            else:
                self.floor = mine
                self.acknowledged += 1

    def read(self, server):
        client = Client(server.port)
        while not self.stop.wait(0.005):
            floor = self.floor
            response = self.answer(client, "GET", None)
            if response is None:
                continue
            self.reads += 1
            value = int(response.json["body"])
            if not floor <= value <= self.tried:
                self.wrong.append(f"stale: read {value}, although {floor} was acknowledged")

    def answer(self, client, method, body):
        """A good response; None after a refusal for now, or a broken connection."""
        try:
            response = client.call(method, self.path, body)
        except LOST:
            return None
        if response.status == 200:
            return response
        if response.status != 503 or not response.headers["Retry-After"] or not response.has_standard_error_body():
            self.wrong.append(f"{method}: {response.status} {response.body[:300]}")
        return None


class Anonymous:
    """Requests without a credential, whose budget all processes share."""

    def __init__(self, servers, limit):
        self.servers, self.limit = itertools.cycle(servers), limit
        self.admitted = self.refused = 0

    def spend(self, count):
        for _ in range(count):
            try:
                status = next(self.servers).client(None).get("/repos/acme/nowhere").status
            except LOST:
                continue
            self.admitted += status == 404
            self.refused += status == 403

    def check(self):
        check(self.admitted <= self.limit, f"{self.admitted} of {self.limit} requests were admitted")
        check(self.refused, "the budget was never used up")
