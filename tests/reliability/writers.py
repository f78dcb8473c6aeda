"""Sixteen clients that write disjoint data and record every acknowledgement. Each client's data is
a map that can be read back: an acknowledged write must be stored, and any other must be stored
completely or not at all."""

import http.client
import itertools
import threading

from harness import ALICE_BY_APP, CheckFailed, check

LOST = (OSError, http.client.HTTPException)
REPOSITORY = "/repos/acme/work"


class Writer:
    """`choose` picks a key and its next value, `write` sends it, `read` reads all data of this
    writer from the server."""

    def __init__(self, number, server, random):
        self.number, self.server, self.random = number, server, random
        self.known, self.pending = {}, None
        self.acknowledged, self.unanswered, self.wrong = 0, 0, []
        self.turn = itertools.count()

    def work(self, stop, pause=0):
        client = self.server.client()
        while not stop.wait(pause):
            key, value = self.choose()
            self.pending = (key, value)
            try:
                response = self.write(client, key, value)
            except LOST:
                self.unanswered += 1
                return
            if response.status == 503 and response.has_standard_error_body():
                self.unanswered += 1
                return
            if not 200 <= response.status < 300:
                self.wrong.append(f"{type(self).__name__} {key} -> {value}: {response.status} {response.body[:300]}")
                return
            self.acknowledged += 1
            self.settle(key, value)
            self.pending = None

    def settle(self, key, value):
        if value is None:
            self.known.pop(key, None)
        else:
            self.known[key] = value

    def verify(self, client):
        """Compares the data on the server with the acknowledged writes."""
        found = self.read(client)
        for key in set(found) | set(self.known):
            allowed = [self.known.get(key)]
            if self.pending is not None and self.pending[0] == key:
                allowed.append(self.pending[1])
            check(found.get(key) in allowed,
                  f"{type(self).__name__} {self.number}: {key} is {found.get(key)!r}, not one of {allowed!r}")
        self.known, self.pending = found, None

    def some_known(self):
        return self.random.choice(sorted(self.known))

    def fresh(self):
        return f"w{self.number}-{next(self.turn)}-{self.random.getrandbits(32):08x}"


class References(Writer):
    commits = None

    def choose(self):
        if len(self.known) < 3 or (len(self.known) < 20 and self.random.random() < 0.5):
            return f"refs/heads/w{self.number}/{self.fresh()}", self.random.choice(self.commits)
        name = self.some_known()
        if self.random.random() < 0.4:
            return name, None
        return name, self.random.choice(self.commits)

    def write(self, client, name, sha):
        at = f"{REPOSITORY}/git/refs/{name.removeprefix('refs/')}"
        if sha is None:
            return client.call("DELETE", at)
        if name in self.known:
            return client.call("PATCH", at, {"sha": sha, "force": True})
        return client.call("POST", f"{REPOSITORY}/git/refs", {"ref": name, "sha": sha})

    def read(self, client):
        listed = client.get(f"{REPOSITORY}/git/matching-refs/heads/w{self.number}/")
        check(listed.status == 200, f"matching-refs: {listed.status}")
        return {row["ref"]: row["object"]["sha"] for row in listed.json}


class Comments(Writer):
    """The key is the first word of the comment. Its last word shows that it is complete."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ids = {}

    def choose(self):
        filling = "word " * self.random.randrange(400)
        if len(self.known) < 3 or (len(self.known) < 15 and self.random.random() < 0.5):
            key = self.fresh()
        else:
            key = self.some_known()
            if self.random.random() < 0.4:
                return key, None
        return key, f"{key} {filling}{self.random.getrandbits(64):x} end"

    def write(self, client, key, text):
        at = f"{REPOSITORY}/pulls/comments/{self.ids.get(key)}"
        if text is None:
            return client.call("DELETE", at)
        if key in self.known:
            return client.call("PATCH", at, {"body": text})
        body = {"body": text, "path": "a.txt", "line": 2, "side": "RIGHT", "commit_id": References.commits[2]}
        response = client.call("POST", f"{REPOSITORY}/pulls/1/comments", body)
        if response.status == 201:
            self.ids[key] = response.json["id"]
        return response

    def read(self, client):
        found = {}
        for page in itertools.count(1):
            listed = client.get(f"{REPOSITORY}/pulls/1/comments?per_page=100&page={page}")
            check(listed.status == 200, f"comments: {listed.status}")
            for row in listed.json:
                key = row["body"].split(" ")[0]
                if key.startswith(f"w{self.number}-"):
                    found[key], self.ids[key] = row["body"], row["id"]
            if len(listed.json) < 100:
                return found


class Fields(Writer):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ids = {}

    def choose(self):
        if not self.known:
            key = self.fresh()
        else:
            key = self.some_known()
            if self.random.random() < 0.4:
                return key, None
        options = tuple(f"{key} {number}" for number in range(self.random.randrange(1, 6)))
        return key, (f"{self.random.getrandbits(64):x}", options)

    def write(self, client, name, value):
        at = f"/orgs/acme/issue-fields/{self.ids.get(name)}"
        if value is None:
            return client.call("DELETE", at)
        options = [{"name": option, "color": "red", "priority": index} for index, option in enumerate(value[1])]
        body = {"description": value[0], "options": options}
        if name in self.known:
            return client.call("PATCH", at, body)
        response = client.call("POST", "/orgs/acme/issue-fields", {"name": name, "data_type": "single_select", **body})
        if response.status in (200, 201):
            self.ids[name] = response.json["id"]
        return response

    def read(self, client):
        listed = client.get("/orgs/acme/issue-fields")
        check(listed.status == 200, f"issue-fields: {listed.status}")
        found = {}
        for row in listed.json:
            if row["name"].startswith(f"w{self.number}-"):
                options = tuple(option["name"] for option in row["options"])
                found[row["name"]] = (row["description"], options)
                self.ids[row["name"]] = row["id"]
        return found


class Installations(Writer):
    """Adds a repository to the installation and removes it again."""

    def choose(self):
        repository = 2011 + self.number % 4
        return repository, None if repository in self.known else True

    def write(self, client, repository, installed):
        method = "PUT" if installed else "DELETE"
        return client.call(method, f"/user/installations/7001/repositories/{repository}")

    def read(self, client):
        reader = self.server.client(ALICE_BY_APP)
        listed = reader.get("/user/installations/7001/repositories?per_page=100")
        check(listed.status == 200, f"repositories: {listed.status} {listed.body[:200]}")
        mine = 2011 + self.number % 4
        return {row["id"]: True for row in listed.json["repositories"] if row["id"] == mine}


def create_writers(server, random_of):
    """Four writers of each kind, with their existing data."""
    client = server.client()
    refs = {row["ref"]: row["object"]["sha"] for row in client.get(f"{REPOSITORY}/git/matching-refs/").json}
    References.commits = [refs["refs/heads/main"], refs["refs/tags/second"], refs["refs/heads/topic"]]
    kinds = [References, Comments, Fields, Installations]
    writers = [kinds[number // 4](number, server, random_of(number)) for number in range(16)]
    for writer in writers:
        writer.known = writer.read(client)
    return writers


def start_writers(writers, pause=0):
    """Starts the writers, with a pause in seconds between writes; returns a function that stops
    them."""
    stop = threading.Event()
    threads = [threading.Thread(target=writer.work, args=(stop, pause), daemon=True) for writer in writers]
    for thread in threads:
        thread.start()

    def end(limit=60):
        stop.set()
        for thread in threads:
            thread.join(limit)
            check(not thread.is_alive(), "a client hangs")
        wrong = [text for writer in writers for text in writer.wrong]
        if wrong:
            raise CheckFailed(f"{len(wrong)} responses are wrong, for example: {wrong[0]}")
    return end
