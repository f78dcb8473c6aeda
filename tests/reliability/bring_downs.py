"""Small requests that would make the server large, deep or slow: GraphQL, Git over HTTP, trees,
pages of commits. Each attack prints the server's peak memory, and what another client notices."""

import gzip
import http.client
import json
import os
import socket
import tempfile
import threading
import time
import zlib
from pathlib import Path

from attack import ALICE, EVE, MALLORY, WORK, Victim, check_memory, in_parallel
from harness import check
from support import packs

GIT = "/acme/work.git"
MIB = 1 << 20


class Attacker:
    """Sends requests of a Git client or of the API; a refusal is as good as an answer."""

    def __init__(self, target, token=MALLORY, timeout=60):
        self.port, self.token, self.timeout = target.server.port, token, timeout

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        sent = {"Authorization": packs.basic(self.token)} if self.token else {}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            length = 0
            first = response.read(1 << 20)
            piece = first
            while piece:
                length += len(piece)
                piece = response.read(1 << 20)
            return response.status, first, length
        except (OSError, http.client.HTTPException) as error:
            return 0, repr(error).encode(), 0
        finally:
            connection.close()

    def post(self, path, body):
        return self.send("POST", path, json.dumps(body).encode(), Content_Type="application/json")

    def push(self, reference, new, packed):
        return self.send("POST", f"{GIT}/git-receive-pack", packs.push(reference, new, packed),
                         Content_Type="application/x-git-receive-pack-request")

    def fetch(self, body, **headers):
        return self.send("POST", f"{GIT}/git-upload-pack", body,
                         Content_Type="application/x-git-upload-pack-request", **headers)

    def trickle(self, path, head, pieces, pause, end):
        """Sends the head of a request and then a few bytes now and then."""
        with socket.create_connection(("127.0.0.1", self.port)) as stream:
            try:
                stream.sendall(head)
                for piece in pieces:
                    if time.monotonic() > end:
                        break
                    stream.sendall(piece)
                    time.sleep(pause)
            except OSError:
                pass


def zeros(length):
    """So many bytes of zeros, compressed, without ever being in memory."""
    compressor, pieces = zlib.compressobj(9), []
    for _ in range(length // MIB):
        pieces.append(compressor.compress(bytes(MIB)))
    pieces.append(compressor.compress(bytes(length % MIB)))
    return b"".join([*pieces, compressor.flush()])


def sized_entry(kind, length, compressed):
    return packs.size(kind, length) + compressed


def observed(what, target, attack, comments=False):
    """Runs an attack next to another client."""
    target.server.client(ALICE).get("/user")
    target.peak_kib()
    victim = Victim(target.server, comments)
    said = attack()
    check(target.server.process.poll() is None, f"{what}: the server is gone")
    return f"{said}; {check_memory(target, what)}; {victim.verdict(what)}"


def expected(statuses, allowed, what):
    found = set(statuses)
    check(found <= set(allowed), f"{what}: {sorted(found)}, expected some of {sorted(allowed)}")


def graphql_errors(target, options):
    """Thousands of errors, each with the long name of its operation; nesting; fragments that double."""
    attacker = Attacker(target)
    fields = " ".join(f"f{number}" for number in range(4000))
    doubling = " ".join(
        f"fragment F{n} on User {{ ...F{n + 1} ...F{n + 1} }}" for n in range(200)) + " fragment F200 on User { login }"
    queries = [
        f"query {'a' * 100_000} {{ {fields} }}",
        f"query {'a' * 400_000} {{ {fields * 4} }}",
        "{viewer" * 20_000 + "}" * 20_000,
        "{ viewer { ...F0 } } " + doubling,
        "{" + " ".join(f"a{number}: viewer {{ login }}" for number in range(20_000)) + "}",
        "{ viewer { login " + "@skip(if: false) " * 20_000 + "} }",
        "query(" + " ".join(f"$v{number}: Int" for number in range(20_000)) + ") { viewer { login } }",
    ]

    def attack():
        answers = [attacker.post("/graphql", {"query": query}) for query in queries for _ in range(3)]
        expected([status for status, _, _ in answers], {200, 400, 413}, "GraphQL")
        longest = max(length for _, _, length in answers)
        check(longest < MIB, f"GraphQL: an answer of {longest} bytes")
        return f"{len(answers)} hostile queries, answers up to {longest} bytes"
    return observed("GraphQL", target, attack)


def deep_trees(target, options):
    """Pushes of nested folders, a pull request of them, and what anybody reads of it."""
    attacker, anonymous = Attacker(target), Attacker(target, None)

    def nested(depth, content):
        sha = packs.name(packs.BLOB, content)
        entries = [packs.entry(packs.BLOB, content)]
        mode, file = b"100644", b"f"
        for _ in range(depth):
            content = packs.tree((mode, file, sha))
            entries.append(packs.entry(packs.TREE, content))
            sha, mode, file = packs.name(packs.TREE, content), b"40000", b"d"
        return entries, sha

    def attack():
        outcomes = []
        base = target.server.client(ALICE).get(f"{WORK}/git/ref/heads/main").json["object"]["sha"]
        for depth in (90, 400, 3000, 20_000):
            entries, root = nested(depth, b"%d" % depth)
            content = packs.commit(root, b"deep", [base])
            new = packs.name(packs.COMMIT, content)
            entries.append(packs.entry(packs.COMMIT, content))
            status, answer, _ = attacker.push(f"refs/heads/deep-{depth}", new, packs.pack(entries))
            outcomes.append(b"ok refs" in answer)
            check(status in (200, 413), f"deep trees: {status} {answer[:200]}")
            pull = attacker.post(f"{WORK}/pulls", {"title": "Deep", "base": "main", "head": f"deep-{depth}"})
            expected([pull[0]], {201, 422}, "a deep pull request")
            if pull[0] == 201:
                number = json.loads(pull[1])["number"]
                paths = [f"{WORK}/pulls/{number}", f"{WORK}/pulls/{number}/files", f"{WORK}/git/trees/{root}?recursive=1"]
                expected([anonymous.send("GET", path)[0] for path in paths], {200, 404, 422}, "reads of deep trees")
        check(outcomes[0] and not outcomes[-1], f"deep trees: accepted {outcomes}")
        return f"accepted {sum(outcomes)} of {len(outcomes)} depths"
    return observed("deep trees", target, attack)


def deep_paths(target, options):
    """Trees and files whose paths have thousands of folders, and trees with thousands of entries."""
    attacker = Attacker(target)
    blob = json.loads(attacker.post(f"{WORK}/git/blobs", {"content": "x"})[1])["sha"]
    # Few folders with many entries, each with its own path.
    many = [{"path": f"{number % 3}/{number:06}", "mode": "100644", "sha": blob} for number in range(11_000)]

    def attack():
        deep = {"path": "a/" * 10_000 + "b", "mode": "100644", "type": "blob", "sha": blob}
        answers = [attacker.post(f"{WORK}/git/trees", {"tree": [deep]})[0]]
        content = {"message": "x", "content": "eA==", "branch": "main"}
        answers.append(attacker.send("PUT", f"{WORK}/contents/{'a/' * 15_000}b", json.dumps(content).encode())[0])
        expected(answers, {404, 422}, "deep paths")
        wide = []
        for thread in in_parallel(4, lambda _: wide.append(attacker.post(f"{WORK}/git/trees", {"tree": many})[0])):
            thread.join()
        expected(wide, {201, 422}, "wide trees")
        return f"deep paths {answers}, wide trees {wide}"
    return observed("deep paths", target, attack)


def pages_of_commits(target, options):
    """Commits with messages of control characters, a page of them for several anonymous readers."""
    attacker, anonymous = Attacker(target), Attacker(target, None)
    base = target.server.client(ALICE).get(f"{WORK}/git/ref/heads/main").json["object"]["sha"]
    root = target.server.client(ALICE).get(f"{WORK}/git/commits/{base}").json["tree"]["sha"]

    def chain(length):
        entries, parent = [], base
        for number in range(101):
            content = packs.commit(root, b"%d" % number + b"\x01" * length, [parent])
            parent = packs.name(packs.COMMIT, content)
            entries.append(packs.entry(packs.COMMIT, content))
        return parent, packs.pack(entries)

    def attack():
        lengths, accepted = [], []
        for size in (1_040_000, 200_000, 60_000):
            new, packed = chain(size)
            status, answer, _ = attacker.push(f"refs/heads/loud-{size}", new, packed)
            check(status in (200, 413), f"loud commits: {status} {answer[:200]}")
            if b"ok refs" not in answer:
                continue
            accepted.append(size)
            paths = [f"{WORK}/commits?sha=loud-{size}&per_page=100", f"{WORK}/compare/main...loud-{size}?per_page=100"]

            def read(number):
                status, _, length = anonymous.send("GET", paths[number % 2])
                lengths.append((status, length))
            for thread in in_parallel(4, read):
                thread.join()
        expected([status for status, _ in lengths], {200, 422, 503}, "pages of loud commits")
        longest = max((length for _, length in lengths), default=0)
        check(longest < 40 * MIB, f"a page of {longest} bytes")
        return f"messages accepted {accepted}, pages up to {longest / 1e6:.1f} MB"
    return observed("pages of commits", target, attack)


def large_blobs(target, options):
    """Sixteen anonymous readers of a blob of 99 MiB that was pushed with 100 KB."""
    attacker, anonymous = Attacker(target), Attacker(target, None)
    length = 99 * MIB
    blob = packs.hashlib.sha1(b"blob %d\0" % length)
    for _ in range(99):
        blob.update(bytes(MIB))
    content = packs.tree((b"100644", b"zeros", blob.hexdigest()))
    root = packs.name(packs.TREE, content)
    message = packs.commit(root, b"large")
    new = packs.name(packs.COMMIT, message)
    packed = packs.pack([sized_entry(packs.BLOB, length, zeros(length)), packs.entry(packs.TREE, content),
                         packs.entry(packs.COMMIT, message)])

    def attack():
        status, answer, _ = attacker.push("refs/heads/large", new, packed)
        if b"ok refs" not in answer:
            return f"the push of {len(packed)} bytes is refused: {answer[:80]!r}"
        read, path = [], f"{WORK}/git/blobs/{blob.hexdigest()}"
        for thread in in_parallel(16, lambda _: read.append(anonymous.send("GET", path)[::2])):
            thread.join()
        expected([status for status, _ in read], {200, 503, 0}, "a large blob")
        check(any(status == 200 for status, _ in read), f"nobody can read it: {read}")
        return f"{len(packed)} bytes pushed, {sum(status == 200 for status, _ in read)} of 16 readers served"
    return observed("large blobs", target, attack)


def slow_fetches(target, options):
    """Compressed requests that swell to 16 MiB and never end, for a repository that is not there."""
    body = gzip.compress(packs.line(b"want " + b"0" * 40 + b"\n") * 330_000)
    seconds = min(options.seconds, 20)

    def attack():
        end = time.monotonic() + seconds
        paths = [f"{GIT}/git-upload-pack", "/acme/absent.git/git-upload-pack"]

        def hold(number):
            path = paths[number % 2]
            head = (f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: {len(body) + 100}\r\n"
                    "Content-Type: application/x-git-upload-pack-request\r\n\r\n").encode() + body
            Attacker(target, None).trickle(path, head, [b"x"] * 100, 1, end)
        for thread in in_parallel(100, hold):
            thread.join(seconds + 30)
        return f"100 connections for {seconds} s"
    return observed("slow fetches", target, attack)


def unfinished_trees(target, options):
    """Thirty connections, each with most of a tree of 99 MiB."""
    length = 99 * MIB
    one = b"100644 " + b"a" * 200 + b"\0" + b"\1" * 20
    compressor = zlib.compressobj(9)
    tree = b"".join(compressor.compress(one * 4096) for _ in range(length // (4096 * len(one)) - 1))
    tree += compressor.flush(zlib.Z_SYNC_FLUSH)
    packed = packs.struct.pack(">4sII", b"PACK", 2, 1) + sized_entry(packs.TREE, length, tree)
    body = packs.push("refs/heads/unfinished", "1" * 40, packed)
    seconds = min(options.seconds, 15)

    def attack():
        end = time.monotonic() + seconds

        def hold(number):
            token = [MALLORY, EVE][number % 2]
            head = (f"POST {GIT}/git-receive-pack HTTP/1.1\r\nHost: a\r\nAuthorization: {packs.basic(token)}\r\n"
                    f"Content-Length: {len(body) + 1000}\r\n\r\n").encode() + body
            Attacker(target).trickle(GIT, head, [b"", *[b"\0"] * 60], 1, end)
        for thread in in_parallel(30, hold):
            thread.join(seconds + 30)
        return f"30 connections with {len(body)} bytes each"
    return observed("unfinished trees", target, attack, comments=True)


def packs_of_deltas(target, options):
    """Two accounts push packs that swell a thousandfold, and do not wait for the answer."""
    length = 99 * MIB
    base = packs.hashlib.sha1(b"blob %d\0" % length)
    for _ in range(99):
        base.update(bytes(MIB))
    entries = [sized_entry(packs.BLOB, length, zeros(length))]
    entries += [packs.delta_on(base.hexdigest(), packs.copying_delta(length, b"%d" % number)) for number in range(60)]
    packed = packs.pack(entries)
    seconds = min(options.seconds, 20)

    def attack():
        end, statuses = time.monotonic() + seconds, []

        def send(number):
            while time.monotonic() < end:
                attacker = Attacker(target, [MALLORY, EVE][number % 2], 2)
                statuses.append(attacker.push("refs/heads/swollen", "1" * 40, packed)[0])
        for thread in in_parallel(4, send):
            thread.join(seconds + 30)
        return f"{len(statuses)} packs of {len(packed)} bytes"
    return observed("packs of deltas", target, attack, comments=True)


def slow_pushes(target, options):
    """Two accounts send bodies slowly: pushes, and files."""
    content = os.urandom(700_000)
    packed = packs.pack([packs.entry(packs.BLOB, content)])
    body = packs.push("refs/heads/slow", "1" * 40, packed)
    file = json.dumps({"content": "A" * 2_000_000, "encoding": "base64"}).encode()
    seconds = min(options.seconds, 20)

    def attack():
        end = time.monotonic() + seconds

        def send(number):
            token = [MALLORY, EVE][number % 2]
            path, sent = [(f"{GIT}/git-receive-pack", body), (f"{WORK}/git/blobs", file)][number // 2 % 2]
            head = (f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: {packs.basic(token)}\r\n"
                    f"Content-Length: {len(sent)}\r\n\r\n").encode()
            step = len(sent) // 40
            Attacker(target).trickle(path, head, [sent[at:at + step] for at in range(0, len(sent), step)], 0.5, end)
        for thread in in_parallel(8, send):
            thread.join(seconds + 30)
        return f"8 slow bodies for {seconds} s"
    return observed("slow bodies", target, attack, comments=True)


def boundaries(target, options):
    """Anonymous fetches with tens of thousands of lines."""
    head = target.server.client(ALICE).get(f"{WORK}/git/ref/heads/main").json["object"]["sha"].encode()
    want = packs.line(b"want " + head + b" side-band-64k\n")
    floods = [
        want + b"".join(packs.line(b"deepen-not refs/heads/%d\n" % number) for number in range(60_000)),
        want + packs.line(b"deepen-not refs/heads/topic\n") * 60_000,
        want + b"".join(packs.line(b"shallow %040x\n" % number) for number in range(60_000)) + packs.line(b"deepen 1\n"),
        want + b"0000" + b"".join(packs.line(b"have %040x\n" % number) for number in range(60_000)),
    ]

    def attack():
        statuses = []
        for flood in floods:
            body = gzip.compress(flood + b"0000" + packs.line(b"done\n"))
            answers = []

            def send(_, body=body, answers=answers):
                answers.append(Attacker(target, None).fetch(body, Content_Encoding="gzip")[0])
            for thread in in_parallel(4, send):
                thread.join()
            statuses.append(sorted(set(answers)))
        for one in statuses:
            expected(one, {200, 400, 413, 503}, "floods of lines")
        return f"floods of lines {statuses}"
    return observed("floods of lines", target, attack)


def writers_elsewhere(target, end, count=6):
    """Clients that create references in another repository until an event. Returns their threads, and
    the status and the seconds of each request."""
    answers = []
    sha = target.server.client(ALICE).get("/repos/acme/told/git/ref/heads/main").json["object"]["sha"]

    def write(number):
        client = target.server.client((ALICE, EVE)[number % 2])
        while not end.is_set():
            new = {"ref": f"refs/tags/elsewhere-{number}-{time.monotonic_ns()}", "sha": sha}
            created = client.call("POST", "/repos/acme/told/git/refs", new)
            answers.append((created.status, created.seconds))
    return in_parallel(count, write), answers


def many_objects(target, options):
    """A push of a great many objects, while others write."""
    count = 1_000_000 if options.seconds >= 30 else 200_000
    packed, new = packs.many(count)

    def attack():
        end = threading.Event()
        threads, written = writers_elsewhere(target, end)
        started = time.monotonic()
        status, answer, _ = Attacker(target, timeout=1500).push("refs/heads/many", new, packed)
        seconds = time.monotonic() - started
        end.set()
        for thread in threads:
            thread.join(60)
        check(b"ok refs" in answer, f"many objects: {status} {answer[:200]}")
        expected([status for status, _ in written], {201}, "writers elsewhere")
        slowest = max(seconds for _, seconds in written)
        return f"{count} objects pushed in {seconds:.0f} s, {len(written)} references created elsewhere, each within {slowest:.1f} s"
    return observed("many objects", target, attack, comments=True)


def pipes_as_worlds(target, options):
    """A world file that is a named pipe."""
    with tempfile.TemporaryDirectory(prefix="forgewright-pipe.") as folder:
        pipe = Path(folder) / "world.yaml"
        os.mkfifo(pipe)
        result = target.server.command("world", "load", str(pipe))
    check(result.returncode != 0, "a pipe is loaded as a world")
    return f"refused: {result.stderr.strip().splitlines()[-1][:100]}"


ATTACKS = [graphql_errors, deep_trees, deep_paths, pages_of_commits, slow_fetches, unfinished_trees, packs_of_deltas,
           slow_pushes, boundaries, pipes_as_worlds, large_blobs, many_objects]
