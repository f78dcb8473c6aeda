"""Attacks: idle connections, unread responses, expensive lists and diffs. Each attack prints the
server's peak memory and the latency of another client that reads references meanwhile.

`--seconds` is how long each attacker sends heavy requests. Below 30 the tests use half the
references and skip the slowest limits."""

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

ALICE, MALLORY, EVE = "ghp_attack_alice", "ghp_attack_mallory", "ghp_attack_eve"
WORK = "/repos/acme/work"
# A debug build takes 60 MiB more by itself.
MAX_KIB = (300 if "release" in binary() else 360) * 1024
REFERENCES = 120_000
# A debug build is about twenty times slower than a release build, and CI machines are shared.
VICTIM_MS = float(os.environ.get("ATTACK_VICTIM_MS", "100" if "release" in binary() else "500"))


def lines(count, step):
    return "".join(f"{number * step % 61 + number * number % 13}\\n" for number in range(count))


def world(folder, hook, huge):
    """A repository with a pull request that changes `huge` lines, and one with an app that receives
    comment events."""
    path = Path(folder) / "attack.yaml"
    path.write_text(f"""
users: [{{id: 1001, login: alice}}, {{id: 1002, login: mallory}}, {{id: 1003, login: eve}}]
organizations:
  - id: 1004
    login: acme
    base_permission: write
    members: [{{login: alice, role: admin}}, {{login: mallory, role: member}}, {{login: eve, role: member}}]
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
  - {{kind: classic, user: eve, scopes: [repo], value: {EVE}}}
""")
    return path


class Target:
    """A server with that world, and direct access to its database."""

    def __init__(self, folder, postgres, *options, hook="http://127.0.0.1:9/", huge=1):
        self.postgres = postgres
        self.name = "PostgreSQL" if postgres else "SQLite"
        self.file = Path(folder) / f"attack-{time.monotonic_ns()}.db"
        self.database = f"attack_{time.monotonic_ns()}"
        url = postgres.create(self.database) if postgres else f"sqlite://{self.file}"
        self.server = Server(folder, url, *(options or ("--rate-limits", "off")))
        result = self.server.command("world", "load", str(world(folder, hook, huge)))
        check(result.returncode == 0, f"cannot load the world: {result.stderr}")

    def sql(self, statement):
        if self.postgres:
            return self.postgres.sql(statement, self.database)
        with sqlite3.connect(self.file, timeout=30) as connection:
            connection.execute(statement)
        return connection.close()

    def add_references(self, count):
        """Adds many references to the repository."""
        self.references = count
        numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
        self.sql(f"{numbers} INSERT INTO git_ref (repository_id, name, sha, kind, updated_at) "
                 "SELECT 2001, 'refs/heads/crowd/number-' || i, sha, kind, 1 FROM n "
                 "CROSS JOIN (SELECT sha, kind FROM git_ref WHERE repository_id = 2001 "
                 "AND name = 'refs/heads/main') AS it")

    def peak_kib(self):
        """The peak memory since the last call."""
        process = Path(f"/proc/{self.server.process.pid}")
        status = (process / "status").read_text()
        (process / "clear_refs").write_text("5")
        return int(status.split("VmHWM:")[1].split()[0])


class Victim(threading.Thread):
    """Another client: reads references, and now and then creates one, or comments on a large file."""

    def __init__(self, server, comments=False):
        super().__init__(daemon=True)
        self.client, self.comments, self.commented = server.client(ALICE, 30), comments, []
        self.done, self.times, self.statuses = threading.Event(), [], []
        self.sha = self.client.get(f"{WORK}/git/ref/heads/main").json["object"]["sha"]
        self.start()

    def run(self):
        number = 0
        while not self.done.is_set():
            number += 1
            response = self.client.get(f"{WORK}/git/ref/heads/{['main', 'topic'][number % 2]}")
            self.times.append(response.seconds)
            self.statuses.append(response.status)
            if number % 20 == 0:
                new = {"ref": f"refs/tags/victim-{time.monotonic_ns()}", "sha": self.sha}
                self.statuses.append(self.client.call("POST", f"{WORK}/git/refs", new).status)
                if self.comments:
                    self.comment(number)
            time.sleep(0.01)

    def comment(self, number):
        head = self.client.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
        body = {"body": f"{number}", "commit_id": head, "path": "huge.txt", "line": 1}
        created = self.client.call("POST", f"{WORK}/pulls/1/comments", body)
        self.commented.append(created.seconds)
        self.statuses.append(created.status)

    def verdict(self, what):
        self.done.set()
        self.join(40)
        check(not self.is_alive(), f"{what}: another client hangs")
        worst = percentile(self.times, 0.99) * 1000
        odd = {status for status in self.statuses if status not in (200, 201)}
        check(not odd, f"{what}: another client gets {odd}")
        check(worst < VICTIM_MS, f"{what}: another client waits {worst:.0f} ms (99th percentile)")
        check(max(self.times) < 10.5, f"{what}: another client waited {max(self.times):.1f} s")
        comments = f", {len(self.commented)} comments within {max(self.commented):.1f} s" if self.commented else ""
        return f"{len(self.times)} reads by another client, 99 % within {worst:.0f} ms{comments}"


def check_memory(target, what):
    peak = target.peak_kib()
    check(peak < MAX_KIB, f"{what}: the server used {peak // 1024} MiB")
    return f"peak memory {peak // 1024} MiB"


def in_parallel(count, work):
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def closed_after(stream, limit):
    """The time until the server closes a connection. Answers HTTP/2 PING frames meanwhile."""
    started = time.monotonic()
    stream.settimeout(1)
    while time.monotonic() - started < limit:
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
        check(False, f"a connection is still open after {limit} s")
    return time.monotonic() - started


def silent_connections(target, options):
    """1: connections that send nothing, and HTTP/2 connections that only response PINGs."""
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
    return "; ".join(f"{len(found)} {kind} connections closed after {max(found):.0f} s" for kind, found in times.items())


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def unread_responses(target, options):
    """2: HTTP/2 requests for long lists with a flow-control window of zero, and HTTP/1.1 clients that
    read a few bytes per second."""
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
    started = time.monotonic()
    times = [closed_after(stream, 60) for stream in streams] if options.seconds >= 30 else []
    while time.monotonic() - started < 6:
        for stream in slow:
            stream.settimeout(0.05)
            try:
                stream.recv(600)
            except OSError:
                pass
    closed = f"; streams without a window closed after {max(times):.0f} s" if times else ""
    for stream in streams + slow:
        stream.close()
    return f"{check_memory(target, 'unread responses')}; {victim.verdict('unread responses')}{closed}"


def large_pages(target, options):
    """3: a hundred comments with 9,362 mentions each, and the list of all references."""
    client = target.server.client(MALLORY, 60)
    head = client.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    body = {"body": "@alice " * 9362, "commit_id": head, "path": "a.txt", "line": 1}
    created = client.call("POST", f"{WORK}/pulls/1/comments", body)
    check(created.status == 201, f"the comment: {created.status} {created.body[:200]}")
    columns = ("repository_id, pull_id, review_id, author_id, path, diff_hunk, subject_type, commit_sha, "
               "original_commit_sha, side, line, original_line, position, original_position, body, body_html, "
               "body_text, created_at, updated_at")
    target.sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99) "
               f"INSERT INTO review_comment (id, {columns}) SELECT 900000 + i, {columns} FROM n "
               f"CROSS JOIN review_comment WHERE id = {created.json['id']}")
    victim = Victim(target.server)
    target.peak_kib()
    full = {"Accept": "application/vnd.github.full+json"}
    page = client.call("GET", f"{WORK}/pulls/1/comments?per_page=100", None, full)
    check(page.status == 200 and len(page.json) == 100, f"the page: {page.status}")
    check(len(page.body) < 40_000_000, f"a page of {len(page.body)} bytes")
    listed = client.get(f"{WORK}/git/matching-refs/")
    check(listed.status == 200 and len(listed.json) > target.references, f"the list: {listed.status}")
    again = client.call("GET", f"{WORK}/git/matching-refs/", None, {"If-None-Match": listed.headers["ETag"]})
    check(again.status in (200, 304), f"the list again: {again.status}")
    return (f"a page of {len(page.body) / 1e6:.0f} MB, a list of {len(listed.body) / 1e6:.0f} MB; "
            f"{check_memory(target, 'large pages')}; {victim.verdict('large pages')}")


def long_lists(target, options):
    """4: one token always has fifty requests for long lists in flight."""
    victim, end, received = Victim(target.server), time.monotonic() + options.seconds, []
    target.peak_kib()
    prefixes = ["", "heads", "heads/", "heads/c", "heads/cr", "heads/cro", "heads/crow", "heads/crowd"]

    def read(number):
        while time.monotonic() < end:
            connection = http.client.HTTPConnection("127.0.0.1", target.server.port, timeout=60)
            connection.request("GET", f"{WORK}/git/matching-refs/{prefixes[number % len(prefixes)]}",
                               headers={"Authorization": f"Bearer {MALLORY}"})
            response = connection.getresponse()
            while time.monotonic() < end and (piece := response.read(1 << 20)):
                received.append(len(piece))
            connection.close()
    for thread in in_parallel(50, read):
        thread.join(options.seconds + 70)
    return (f"{sum(received) / 1e6:.0f} MB of lists in {options.seconds} s; {victim.verdict('fifty long lists')}; "
            f"{check_memory(target, 'fifty long lists')}")


def cpu_seconds(target):
    fields = Path(f"/proc/{target.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def huge_diffs(target, options):
    """5: comments on a file of 600,000 lines, and the pull request itself."""
    client = target.server.client(MALLORY, 60)
    head = client.get(f"{WORK}/git/ref/heads/topic").json["object"]["sha"]
    victim, responses = Victim(target.server), []
    target.peak_kib()

    def comment(number):
        body = {"body": "x", "commit_id": head, "path": "huge.txt", "line": 100 + number}
        responses.append(target.server.client(MALLORY, 60).call("POST", f"{WORK}/pulls/1/comments", body))
    started = time.monotonic()
    for thread in in_parallel(6, comment):
        thread.join()
    seconds = time.monotonic() - started
    check({response.status for response in responses} == {422}, f"comments: {[response.status for response in responses]}")
    pull = target.server.client(None, 60).get(f"{WORK}/pulls/1")
    check(pull.status == 200, f"the pull request: {pull.status}")
    time.sleep(1)
    before = cpu_seconds(target)
    time.sleep(1)
    used = cpu_seconds(target) - before
    check(used < 0.5, f"the server still computes after the responses: {used:.2f} s of CPU time in a second")
    return (f"six comments refused within {seconds:.1f} s, the pull request read in {pull.seconds:.1f} s; "
            f"{victim.verdict('huge diffs')}; {check_memory(target, 'huge diffs')}")


def free_reads(target, options):
    """6: requests with `If-None-Match: *` count against the rate limit."""
    client = target.server.client(MALLORY)
    statuses = [client.call("GET", WORK, None, {"If-None-Match": "*"}).status for _ in range(60)]
    admitted = sum(status in (200, 304) for status in statuses)
    check(admitted <= 50 and statuses[-1] == 403, f"{admitted} requests were admitted, with a limit of 50")
    return f"{admitted} of 60 requests admitted, with a limit of 50"


class Receiver(http.server.BaseHTTPRequestHandler):
    """Always rejects deliveries of the first comment, and accepts the others."""
    first, accepted = None, set()

    def do_POST(self):
        comment = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["comment"]["id"]
        Receiver.first = Receiver.first or comment
        if comment != Receiver.first:
            Receiver.accepted.add(comment)
        self.send_response(500 if comment == Receiver.first else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def failing_webhook(target, options):
    """7: a failing delivery does not block later deliveries."""
    client = target.server.client(MALLORY)
    head = client.get("/repos/acme/told/git/ref/heads/topic").json["object"]["sha"]
    for number in range(5):
        body = {"body": f"x{number}", "commit_id": head, "path": "a.txt", "line": 1}
        created = client.call("POST", "/repos/acme/told/pulls/1/comments", body)
        check(created.status == 201, f"a comment: {created.status} {created.body[:200]}")
        if number == 0:
            until(20, lambda: Receiver.first is not None, "the first delivery")
    seconds = until(20, lambda: len(Receiver.accepted) == 4, "the other deliveries")
    return f"four deliveries after a failing one arrived within {seconds:.1f} s"


def pipe_in_a_repository(target, options):
    """8: a named pipe instead of a file does not block the import."""
    with tempfile.TemporaryDirectory(prefix="forgewright-pipe.") as folder:
        subprocess.run(["git", "init", "-q", "--bare", f"{folder}/a.git"], check=True)
        os.mkfifo(f"{folder}/a.git/packed-refs")
        hostile = Path(folder) / "hostile.yaml"
        hostile.write_text("users: [{login: eve}]\nrepositories:\n  - {full_name: eve/a, git: {path: a.git}}\n")
        started = time.monotonic()
        result = target.server.command("world", "load", str(hostile))
        seconds = time.monotonic() - started
    check(result.returncode != 0 and seconds < 20, f"exit code {result.returncode} after {seconds:.0f} s")
    return f"rejected after {seconds:.1f} s"


def play(target, attacks, options, report):
    target.server.start()
    try:
        for attack in attacks:
            report(f"attack {target.name}, {attack.__name__.replace('_', ' ')}: {attack(target, options)}")
        check(target.server.panics() == 0, "the server panicked")
    finally:
        target.server.kill()


def run(options):
    import bring_downs

    postgres = Postgres() if "postgres" in options.databases else None
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hook = f"http://127.0.0.1:{receiver.server_port}/hook"
    failures = []

    def report(line):
        print(line, flush=True)

    def in_background(target):
        try:
            play(target, [silent_connections], options, report)
        except Exception as error:
            failures.append(error)

    with tempfile.TemporaryDirectory(prefix="forgewright-attack.") as folder:
        try:
            # This attack only waits, so the others run at the same time.
            waiting = threading.Thread(target=in_background, args=(Target(folder, None),), daemon=True)
            waiting.start()
            play(Target(folder, None, "--rate-limit-user", "50"), [free_reads], options, report)
            play(Target(folder, None, hook=hook), [failing_webhook, pipe_in_a_repository], options, report)
            play(Target(folder, None, huge=3000), bring_downs.ATTACKS, options, report)
            for database in options.databases:
                target = Target(folder, postgres if database == "postgres" else None, huge=600_000)
                target.add_references(REFERENCES if options.seconds >= 30 else REFERENCES // 2)
                short = [long_lists] if database == "postgres" and options.seconds < 30 else None
                play(target, short or [large_pages, long_lists, huge_diffs, unread_responses], options, report)
            waiting.join(150)
            check(not waiting.is_alive(), "silent connections: the test hangs")
            if failures:
                raise failures[0]
        finally:
            receiver.shutdown()
            if postgres:
                postgres.remove()
