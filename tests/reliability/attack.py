"""Attacks: idle connections, unread answers, expensive lists and diffs. Each attack runs
against its own server and prints its cost: the memory of the server, and the latency of a
bystander that reads one reference all the while.

`--seconds` is how long each caller sends heavy requests. Below 30 is the short form: half
the references, and without the limits that take longest to reach."""

import http.client
import http.server
import json
import os
import socket
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from harness import Postgres, Server, binary, check, percentile, until

ALICE, MALLORY = "ghp_attack_alice", "ghp_attack_mallory"
WORK = "/repos/acme/work"
MOST_KIB = 300 * 1024
REFERENCES = 120_000
# A debug build is some twenty times slower than a release build, and CI shares its machine.
VICTIM_MS = float(os.environ.get("ATTACK_VICTIM_MS", "100" if "release" in binary() else "500"))


def lines(count, step):
    return "".join(f"{number * step % 61 + number * number % 13}\\n" for number in range(count))


def world(folder, hook, huge):
    """A repository with a pull request that changes so many lines, and one with an app
    that is told of comments."""
    path = Path(folder) / "attack.yaml"
    path.write_text(f"""
users: [{{id: 1001, login: alice}}, {{id: 1002, login: mallory}}]
organizations:
  - id: 1004
    login: acme
    base_permission: write
    members: [{{login: alice, role: admin}}, {{login: mallory, role: member}}]
repositories:
  - id: 2001
    full_name: acme/work
    visibility: public
    git:
      commits:
        - {{id: first, message: One, files: {{huge.txt: "{lines(huge, 7)}", a.txt: "one\\n"}}}}
        - {{id: second, message: Two, files: {{huge.txt: "{lines(huge, 11)}", a.txt: "two\\n"}}}}
      refs: {{refs/heads/main: first, refs/heads/topic: second}}
    pulls:
      - {{number: 1, title: Much, author: alice, base: main, head: topic}}
  - id: 2002
    full_name: acme/told
    visibility: public
    git:
      commits:
        - {{id: first, message: One, files: {{a.txt: "one\\n"}}}}
        - {{id: second, message: Two, files: {{a.txt: "two\\n"}}}}
      refs: {{refs/heads/main: first, refs/heads/topic: second}}
    pulls:
      - {{number: 1, title: Little, author: alice, base: main, head: topic}}
apps:
  - id: 6001
    slug: listener
    name: Listener
    owner: acme
    client_id: Iv23listener
    webhook: {{url: "{hook}", secret: hush}}
    permissions: {{pull_requests: read, metadata: read}}
    events: [pull_request_review_comment]
installations:
  - {{id: 7001, app: listener, account: acme, repository_selection: selected, repositories: [told]}}
tokens:
  - {{kind: classic, user: alice, scopes: [repo], value: {ALICE}}}
  - {{kind: classic, user: mallory, scopes: [repo], value: {MALLORY}}}
""")
    return path


class Target:
    """A server with that world, and a way past it into its database."""

    def __init__(self, folder, postgres, *options, hook="http://127.0.0.1:9/", huge=1):
        self.postgres = postgres
        self.name = "PostgreSQL" if postgres else "SQLite"
        self.file = Path(folder) / f"attack-{time.monotonic_ns()}.db"
        self.database = f"attack_{time.monotonic_ns()}"
        url = postgres.create(self.database) if postgres else f"sqlite://{self.file}"
        self.server = Server(folder, url, *(options or ("--rate-limits", "off")))
        done = self.server.command("world", "load", str(world(folder, hook, huge)))
        check(done.returncode == 0, f"the world is not loaded: {done.stderr}")

    def sql(self, statement):
        if self.postgres:
            return self.postgres.sql(statement, self.database)
        with sqlite3.connect(self.file, timeout=30) as connection:
            connection.execute(statement)
        return connection.close()

    def crowd(self, count):
        """Gives the repository many references."""
        self.crowded = count
        numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
        self.sql(f"{numbers} INSERT INTO git_ref (repository_id, name, sha, kind, updated_at) "
                 "SELECT 2001, 'refs/heads/crowd/number-' || i, sha, kind, 1 FROM n "
                 "CROSS JOIN (SELECT sha, kind FROM git_ref WHERE repository_id = 2001 "
                 "AND name = 'refs/heads/main') AS it")

    def peak_kib(self):
        """The most memory since the last time this was asked."""
        process = Path(f"/proc/{self.server.process.pid}")
        status = (process / "status").read_text()
        (process / "clear_refs").write_text("5")
        return int(status.split("VmHWM:")[1].split()[0])


class Victim(threading.Thread):
    """Asks for one reference after the other, and writes one now and then."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.client = server.client(ALICE, 30)
        self.done, self.times, self.statuses = threading.Event(), [], []
        self.sha = self.client.get(f"{WORK}/git/ref/heads/main").json["object"]["sha"]
        self.start()

    def run(self):
        number = 0
        while not self.done.is_set():
            number += 1
            answer = self.client.get(f"{WORK}/git/ref/heads/{['main', 'topic'][number % 2]}")
            self.times.append(answer.seconds)
            self.statuses.append(answer.status)
            if number % 20 == 0:
                new = {"ref": f"refs/tags/victim-{time.monotonic_ns()}", "sha": self.sha}
                self.statuses.append(self.client.call("POST", f"{WORK}/git/refs", new).status)
            time.sleep(0.01)

    def verdict(self, what):
        self.done.set()
        self.join(40)
        check(not self.is_alive(), f"{what}: somebody else hangs")
        worst = percentile(self.times, 0.99) * 1000
        odd = {status for status in self.statuses if status not in (200, 201)}
        check(not odd, f"{what}: somebody else gets {odd}")
        check(worst < VICTIM_MS, f"{what}: somebody else waits {worst:.0f} ms (99th percentile)")
        check(max(self.times) < 10.5, f"{what}: somebody else waited {max(self.times):.1f} s")
        return f"{len(self.times)} reads of somebody else, 99 % within {worst:.0f} ms"


def bounded(target, what):
    peak = target.peak_kib()
    check(peak < MOST_KIB, f"{what}: the server took {peak // 1024} MiB")
    return f"{peak // 1024} MiB at most"


def in_parallel(count, work):
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def closed_after(stream, limit):
    """How long until the other side closes a connection on which frames may come."""
    begun = time.monotonic()
    stream.settimeout(1)
    while time.monotonic() - begun < limit:
        try:
            received = stream.recv(65536)
            if not received:
                break
            if received.startswith(b"\0\0\x08\x06\0"):
                stream.sendall(b"\0\0\x08\x06\x01" + received[5:17])
        except TimeoutError:
            continue
        except OSError:
            break
    else:
        check(False, f"a connection is open after {limit} s")
    return time.monotonic() - begun


def silence(target, options):
    """1: connections that say nothing, and HTTP/2 ones that only answer PINGs."""
    address = ("127.0.0.1", target.server.port)
    silent = [socket.create_connection(address) for _ in range(50)]
    pinged = [socket.create_connection(address) for _ in range(50)] if options.seconds >= 30 else []
    for stream in pinged:
        stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
    times, failures = {}, []

    def watch(number):
        try:
            kind, stream = [("silent", one) for one in silent][number] if number < 50 else ("pinged", pinged[number - 50])
            times.setdefault(kind, []).append(closed_after(stream, 45 if kind == "silent" else 110))
        except Exception as error:
            failures.append(error)
    for thread in in_parallel(len(silent) + len(pinged), watch):
        thread.join()
    if failures:
        raise failures[0]
    return "; ".join(f"{len(found)} {kind} ones closed after {max(found):.0f} s" for kind, found in times.items())


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def untaken(target, options):
    """2: HTTP/2 requests for long lists without a window to answer in, and HTTP/1.1
    readers that take a few bytes a second."""
    victim = Victim(target.server)
    target.peak_kib()
    address = ("127.0.0.1", target.server.port)
    path = f"{WORK}/git/matching-refs/"
    window = frame(4, 0, 0, struct.pack(">HI", 4, 0))
    streams = []
    for _ in range(3):
        stream = socket.create_connection(address)
        stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + window)
        for number in range(5):
            head = literal(b":method", b"GET") + literal(b":scheme", b"http")
            head += literal(b":authority", b"localhost") + literal(b":path", path.encode())
            stream.sendall(frame(1, 5, 2 * number + 1, head))
        streams.append(stream)
    slow = [socket.create_connection(address) for _ in range(15)]
    for stream in slow:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    begun = time.monotonic()
    times = [closed_after(stream, 60) for stream in streams] if options.seconds >= 30 else []
    while time.monotonic() - begun < 6:
        for stream in slow:
            stream.settimeout(0.05)
            try:
                stream.recv(600)
            except OSError:
                pass
    said = f"; streams without a window end after {max(times):.0f} s" if times else ""
    for stream in streams + slow:
        stream.close()
    return f"{bounded(target, 'untaken answers')}; {victim.verdict('untaken answers')}{said}"


def large_pages(target, options):
    """3: a hundred comments that mention somebody 9,362 times, and all references."""
    client = target.server.client(MALLORY, 60)
    head = client.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    body = {"body": "@alice " * 9362, "commit_id": head, "path": "a.txt", "line": 1}
    made = client.call("POST", f"{WORK}/pulls/1/comments", body)
    check(made.status == 201, f"the comment: {made.status} {made.body[:200]}")
    columns = ("repository_id, pull_id, review_id, author_id, path, diff_hunk, subject_type, commit_sha, "
               "original_commit_sha, side, line, original_line, position, original_position, body, body_html, "
               "body_text, created_at, updated_at")
    target.sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
               f"INSERT INTO review_comment (id, {columns}) SELECT 900000 + i, {columns} FROM n "
               f"CROSS JOIN review_comment WHERE id = {made.json['id']}")
    victim = Victim(target.server)
    target.peak_kib()
    full = {"Accept": "application/vnd.github.full+json"}
    page = client.call("GET", f"{WORK}/pulls/1/comments?per_page=100", None, full)
    check(page.status == 200 and len(page.json) == 100, f"the page: {page.status}")
    check(len(page.body) < 40_000_000, f"a page of {len(page.body)} bytes")
    listed = client.get(f"{WORK}/git/matching-refs/")
    check(listed.status == 200 and len(listed.json) > target.crowded, f"the list: {listed.status}")
    again = client.call("GET", f"{WORK}/git/matching-refs/", None, {"If-None-Match": listed.headers["ETag"]})
    check(again.status in (200, 304), f"the list again: {again.status}")
    return (f"a page of {len(page.body) / 1e6:.0f} MB, a list of {len(listed.body) / 1e6:.0f} MB; "
            f"{bounded(target, 'large pages')}; {victim.verdict('large pages')}")


def greedy(target, options):
    """4: one token has fifty long lists in flight all the while."""
    victim, end, taken = Victim(target.server), time.monotonic() + options.seconds, []
    target.peak_kib()
    prefixes = ["", "heads", "heads/", "heads/c", "heads/cr", "heads/cro", "heads/crow", "heads/crowd"]

    def ask(number):
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", target.server.port, timeout=60)
            connection.request("GET", f"{WORK}/git/matching-refs/{prefixes[number % len(prefixes)]}",
                               headers={"Authorization": f"Bearer {MALLORY}"})
            answer = connection.getresponse()
            while time.monotonic() < end and (piece := answer.read(1 << 20)):
                taken.append(len(piece))
            connection.close()
    for thread in in_parallel(50, ask):
        thread.join(options.seconds + 70)
    return (f"{sum(taken) / 1e6:.0f} MB of lists in {options.seconds} s; {victim.verdict('fifty long lists')}; "
            f"{bounded(target, 'fifty long lists')}")


def processor_seconds(target):
    fields = Path(f"/proc/{target.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def huge_diffs(target, options):
    """5: comments on a file of 600,000 lines, and the pull request itself."""
    client = target.server.client(MALLORY, 60)
    head = client.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    victim, answers = Victim(target.server), []
    target.peak_kib()

    def comment(number):
        body = {"body": "x", "commit_id": head, "path": "huge.txt", "line": 100 + number}
        answers.append(target.server.client(MALLORY, 60).call("POST", f"{WORK}/pulls/1/comments", body))
    begun = time.monotonic()
    for thread in in_parallel(6, comment):
        thread.join()
    seconds = time.monotonic() - begun
    check({answer.status for answer in answers} == {422}, f"comments: {[answer.status for answer in answers]}")
    pull = target.server.client(None, 60).get(f"{WORK}/pulls/1")
    check(pull.status == 200, f"the pull request: {pull.status}")
    time.sleep(1)
    before = processor_seconds(target)
    time.sleep(1)
    rest = processor_seconds(target) - before
    check(rest < 0.5, f"it goes on working after the answers: {rest:.2f} s in a second")
    return (f"six comments refused within {seconds:.1f} s, the pull request shown after {pull.seconds:.1f} s; "
            f"{victim.verdict('huge diffs')}; {bounded(target, 'huge diffs')}")


def free_reads(target, options):
    """6: `If-None-Match: *` is counted like any other request."""
    client = target.server.client(MALLORY)
    statuses = [client.call("GET", WORK, None, {"If-None-Match": "*"}).status for _ in range(60)]
    admitted = sum(status in (200, 304) for status in statuses)
    check(admitted <= 50 and statuses[-1] == 403, f"{admitted} of 60 requests were admitted, of 50")
    return f"{admitted} of 60 admitted, with 50 an hour"


class Receiver(http.server.BaseHTTPRequestHandler):
    """Refuses the first delivery for ever, and takes the others."""
    first, taken = None, set()

    def do_POST(self):
        comment = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["comment"]["id"]
        Receiver.first = Receiver.first or comment
        if comment != Receiver.first:
            Receiver.taken.add(comment)
        self.send_response(500 if comment == Receiver.first else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def failing_webhook(target, options):
    """7: what follows a webhook that fails arrives all the same."""
    client = target.server.client(MALLORY)
    head = client.get("/repos/acme/told/git/ref/heads/topic").json["object"]["sha"]
    for number in range(5):
        body = {"body": f"x{number}", "commit_id": head, "path": "a.txt", "line": 1}
        made = client.call("POST", "/repos/acme/told/pulls/1/comments", body)
        check(made.status == 201, f"a comment: {made.status} {made.body[:200]}")
        if number == 0:
            until(20, lambda: Receiver.first is not None, "the first delivery")
    seconds = until(20, lambda: len(Receiver.taken) == 4, "the other deliveries")
    return f"four behind one that fails arrived after {seconds:.1f} s"


def pipe_in_a_repository(target, options):
    """8: a pipe where a file should be keeps nobody waiting."""
    with tempfile.TemporaryDirectory(prefix="forgewright-pipe.") as folder:
        subprocess.run(["git", "init", "-q", "--bare", f"{folder}/a.git"], check=True)
        os.mkfifo(f"{folder}/a.git/packed-refs")
        hostile = Path(folder) / "hostile.yaml"
        hostile.write_text("users: [{login: eve}]\nrepositories:\n  - {full_name: eve/a, git: {path: a.git}}\n")
        begun = time.monotonic()
        done = target.server.command("world", "load", str(hostile))
        seconds = time.monotonic() - begun
    check(done.returncode != 0 and seconds < 20, f"it took {seconds:.0f} s and gave {done.returncode}")
    return f"refused after {seconds:.1f} s"


def play(target, attacks, options, told):
    target.server.start()
    try:
        for attack in attacks:
            told(f"attack {target.name}, {attack.__name__.replace('_', ' ')}: {attack(target, options)}")
        check(target.server.panics() == 0, "the server panicked")
    finally:
        target.server.kill()


def run(options):
    postgres = Postgres() if "postgres" in options.databases else None
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hook = f"http://127.0.0.1:{receiver.server_port}/hook"
    failures = []

    def told(line):
        print(line, flush=True)

    def quietly(target):
        try:
            play(target, [silence], options, told)
        except Exception as error:
            failures.append(error)

    with tempfile.TemporaryDirectory(prefix="forgewright-attack.") as folder:
        try:
            # Waiting for silence costs nothing, so the rest is played meanwhile.
            waiting = threading.Thread(target=quietly, args=(Target(folder, None),), daemon=True)
            waiting.start()
            play(Target(folder, None, "--rate-limit-user", "50"), [free_reads], options, told)
            play(Target(folder, None, hook=hook), [failing_webhook, pipe_in_a_repository], options, told)
            for database in options.databases:
                target = Target(folder, postgres if database == "postgres" else None, huge=600_000)
                target.crowd(REFERENCES if options.seconds >= 30 else REFERENCES // 2)
                short = [greedy] if database == "postgres" and options.seconds < 30 else None
                play(target, short or [large_pages, greedy, huge_diffs, untaken], options, told)
            waiting.join(150)
            check(not waiting.is_alive(), "silent connections: not over")
            if failures:
                raise failures[0]
        finally:
            receiver.shutdown()
            if postgres:
                postgres.remove()
