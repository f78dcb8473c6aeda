"""Searches for small requests that cost much: in the bytes of the answer, in the memory of the
server, in its processor time, or in depth.

Each request goes alone to a server of its own, so that what the server spends is known. The
requests stretch the examples of the documents: long, deep and repeated values. Others are queries
of GraphQL and requests of Git clients. The cases come from a fixed seed.

    python3 amplify.py [ROUNDS]
"""

import gzip
import http.client
import json
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from attack import SEED, operations, paths, replaced
from support import packs
from support.server import CheckFailed, Server

MIB = 1 << 20
ALICE = "ghp_demo_alice_admin"
GIT = "/acme/gadgets.git"

# What one request may cost, and what each byte of it adds. The debug binary takes about ten times
# the processor time of a release one. The body of a fetch may expand to 16 MiB, and its buffer is
# copied as it grows.
ANSWER = (2 * MIB, 8)
MEMORY = (64 * MIB, 32)
SECONDS = (1.5, 4 / MIB)

LONG = 150_000
STRETCHED = [
    "\x01" * (LONG // 6), "x" * LONG, "\U0001f680" * (LONG // 12), "a/" * (LONG // 2), "../" * (LONG // 3),
    "[" * LONG, "![" * (LONG // 2), "*a_" * (LONG // 3), "> " * (LONG // 2), "- " * (LONG // 2), "`" * LONG,
    "@alice " * (LONG // 7), "#1 " * (LONG // 3), "acme/gadgets#1 " * (LONG // 15), "<b>" * (LONG // 3),
    "|a" * (LONG // 2) + "\n" + "|-" * (LONG // 2), "[a]: /b\n" * (LONG // 8), "&amp;" * (LONG // 5),
    "http://a.b/ " * (LONG // 12), "(" * LONG, ":" * LONG, "\n" * LONG, "é" * (LONG // 6), "0" * LONG,
    ["x"] * (LONG // 5), [{}] * (LONG // 3), [[]] * (LONG // 3), list(range(LONG // 7)), {"a": 1} | {f"k{n}": n for n in range(LONG // 12)},
]
QUERIES = ["", "?per_page=100", "?per_page=100&page=1000000", "?q=" + "a" * 8000, "?recursive=1", "?since=1970-01-01T00:00:00Z"]


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


class Meter:
    """What a process spends. Its peak of memory is measured from the last `start`."""

    def __init__(self, process):
        self.folder = Path(f"/proc/{process}")
        self.ticks = os.sysconf("SC_CLK_TCK")

    def seconds(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / self.ticks

    def memory(self, key):
        for line in (self.folder / "status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
        raise KeyError(key)

    def start(self):
        (self.folder / "clear_refs").write_text("5")
        self.begun = self.seconds(), self.memory("VmRSS")

    def spent(self):
        seconds, memory = self.begun
        return self.seconds() - seconds, self.memory("VmHWM") - memory


class Search:
    def __init__(self, server):
        self.server, self.meter = server, Meter(server.process.pid)
        self.costs, self.faults = [], []

    def send(self, name, method, path, body=None, token=ALICE, **headers):
        headers = {key.replace("_", "-"): value for key, value in headers.items()}
        if token:
            headers.setdefault("Authorization", f"Bearer {token}")
        self.meter.start()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        answer = status = 0
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            status = response.status
            while piece := response.read(MIB):
                answer += len(piece)
        except (OSError, http.client.HTTPException):
            # Refused before all of it was sent. A server that stopped is noticed at the end.
            pass
        finally:
            connection.close()
        seconds, memory = self.meter.spent()
        sent = len(path) + len(body or b"")
        self.costs.append((name, sent, status, answer, memory, seconds))
        for what, spent, (base, each) in (
            ("answers with {:.0f} bytes", answer, ANSWER),
            ("takes {:.0f} bytes of memory", memory, MEMORY),
            ("takes {:.2f} s of processor time", seconds, SECONDS),
        ):
            if spent > base + each * sent:
                self.faults.append(f"{name}, {sent} bytes: {what.format(spent)}")
        if status >= 500 and status != 503:
            self.faults.append(f"{name}, {sent} bytes: {status}")

    def rest(self, operation, body=None, query=""):
        path = operation.target().decode() + query
        token = operation.token().decode().split(" ", 1)[1]
        headers = {"Content_Type": "application/json"} if body is not None else {}
        self.send(operation.name, operation.method, path, body, token, **headers)

    def documents(self, rng, share):
        for operation in operations(self.server.address):
            if operation.name == "revoke_installation_token":
                continue
            if operation.method == "GET":
                for query in QUERIES:
                    self.rest(operation, query=query)
                for name in operation.examples:
                    for word in (b"a/" * 15_000, b"%01" * 10_000, b"9" * 30_000):
                        self.send(operation.name, "GET", operation.target(name, word).decode())
            if operation.body is None:
                continue
            self.rest(operation, json.dumps({"a": deep(120)}).encode())
            self.rest(operation, b"[" * 500_000)
            self.rest(operation, b'{"a":' * 100_000)
            self.rest(operation, b"[" + b"0," * 400_000 + b"0]")
            for path in list(paths(operation.body)) or [("body",)]:
                body = operation.body if operation.body else {"body": 1}
                for value in rng.sample(STRETCHED, max(1, round(share * len(STRETCHED)))):
                    self.rest(operation, json.dumps(replaced(body, path, value)).encode())

    def graphql(self):
        def ask(name, query, **more):
            self.send(f"graphql, {name}", "POST", "/graphql", json.dumps({"query": query, **more}).encode(),
                      Content_Type="application/json")

        long_name = "a" * 60_000
        doubled = " ".join(f"fragment f{n} on User{{...f{n + 1} ...f{n + 1}}}" for n in range(60))
        kinds = "fields{type{" * 14 + "name" + "}}" * 14
        ask("undefined fields", f"query {long_name}{{" + " ".join(f"b{n}" for n in range(9000)) + "}")
        ask("undefined fields with arguments", "{" + " ".join(f"b(c:{n})" for n in range(9000)) + "}")
        ask("aliases", "{" + " ".join(f"a{n}:viewer{{login}}" for n in range(4000)) + "}")
        ask("long aliases", "{" + " ".join(f"{'a' * 500}{n}:viewer{{login}}" for n in range(200)) + "}")
        ask("fragments that double", "{viewer{...f0}} " + doubled + " fragment f60 on User{login}")
        ask("fragments in a circle", "{viewer{...f}} fragment f on User{...g} fragment g on User{...f}")
        ask("types of types", "{__schema{types{" + kinds + "}}}")
        ask("levels", "{viewer" * 30_000)
        ask("lists", '{viewer(a:' + "[" * 60_000 + "){login}}")
        ask("directives", "{viewer{login " + "@skip(if:false)" * 6000 + "}}")
        ask("variables", "query(" + " ".join(f"$v{n}:String" for n in range(6000)) + "){viewer{login}}")
        ask("operations", " ".join(f"query q{n}{{viewer{{login}}}}" for n in range(4000)))
        ask("values of variables", "{viewer{login}}", variables={f"v{n}": deep(20) for n in range(1500)})
        ask("a comment", "#" + "x" * 120_000 + "\n{viewer{login}}")

    def fetches(self):
        def fetch(name, lines, token=None, compressed=True):
            body = b"".join(lines)
            headers = {"Content_Type": "application/x-git-upload-pack-request", "Git_Protocol": "version=2"}
            if token:
                headers["Authorization"] = packs.basic(token)
            if compressed:
                headers["Content_Encoding"] = "gzip"
                body = gzip.compress(body)
            self.send(f"fetch, {name}", "POST", f"{GIT}/git-upload-pack", body, None, **headers)

        command = [packs.line(b"command=fetch\n"), b"0001"]
        listing = [packs.line(b"command=ls-refs\n"), b"0001"]
        nothing = [f"{number:040x}".encode() for number in range(1, 20_001)]
        fetch("zeros", [bytes(16 * MIB)])
        fetch("wants", [*command, *(packs.line(b"want " + one + b"\n") for one in nothing), b"0000"])
        fetch("haves", [*command, *(packs.line(b"have " + one + b"\n") for one in nothing), b"0000"])
        fetch("deepen-not", [*command, *(packs.line(b"deepen-not refs/heads/%d\n" % n) for n in range(20_000)), b"0000"])
        fetch("shallow", [*command, *(packs.line(b"shallow " + one + b"\n") for one in nothing), b"0000"])
        fetch("prefixes", [*listing, *(packs.line(b"ref-prefix refs/heads/%d\n" % n) for n in range(20_000)), b"0000"])
        fetch("one prefix", [*listing, *[packs.line(b"ref-prefix " + b"r" * 65_000 + b"\n")] * 200, b"0000"])
        fetch("junk", [packs.line(b"x" * 65_000)] * 200)

    def pushes(self):
        def push(name, entries, tip):
            body = packs.push("refs/heads/amplified", tip, packs.pack(entries))
            self.send(f"push, {name}", "POST", f"{GIT}/git-receive-pack", body, None,
                      Content_Type="application/x-git-receive-pack-request", Authorization=packs.basic(ALICE))

        def committed(root, message=b"x", **more):
            content = packs.commit(root, message, **more)
            return packs.entry(packs.COMMIT, content), packs.name(packs.COMMIT, content)

        blob = b"boom\n"
        file = packs.name(packs.BLOB, blob)
        wide, inner, mode = [packs.entry(packs.BLOB, blob)], file, b"100644"
        for _ in range(10):
            content = packs.tree(*((mode, b"%d" % digit, inner) for digit in range(10)))
            wide.append(packs.entry(packs.TREE, content))
            inner, mode = packs.name(packs.TREE, content), b"40000"
        entry, tip = committed(inner)
        push("trees that contain each other", [*wide, entry], tip)
        nested, inner, mode = [packs.entry(packs.BLOB, blob)], file, b"100644"
        for _ in range(20_000):
            content = packs.tree((mode, b"d", inner))
            nested.append(packs.entry(packs.TREE, content))
            inner, mode = packs.name(packs.TREE, content), b"40000"
        entry, tip = committed(inner)
        push("20,000 folders in each other", [*nested, entry], tip)
        zeros = bytes(90 * MIB)
        base = packs.name(packs.BLOB, zeros)
        large = [packs.entry(packs.BLOB, zeros)]
        large += [packs.delta_on(base, packs.copying_delta(len(zeros), b"%d" % n)) for n in range(100)]
        content = packs.tree((b"100644", b"f", base))
        entry, tip = committed(packs.name(packs.TREE, content))
        push("deltas of a large object", [*large, packs.entry(packs.TREE, content), entry], tip)
        empty = packs.tree()
        root = packs.name(packs.TREE, empty)
        commits, parents = [packs.entry(packs.TREE, empty)], ()
        for _ in range(100):
            entry, tip = committed(root, b"\x01" * 900_000, parents=parents)
            commits.append(entry)
            parents = (tip,)
        push("long messages", commits, tip)
        for path in ("commits?per_page=100", f"commits/{tip}", f"compare/main...{tip}"):
            self.send("long messages, " + path.split("/", 1)[0], "GET", f"/repos/acme/gadgets/{path}")

    def report(self):
        for what, key in (("answer", 3), ("memory", 4), ("processor time", 5)):
            print(f"most {what}:")
            for name, sent, status, answer, memory, seconds in sorted(self.costs, key=lambda cost: -cost[key])[:6]:
                print(f"  {name}: {status}, {sent} bytes sent, {answer} answered, "
                      f"{memory / MIB:.1f} MiB, {seconds:.2f} s")
        print(f"{len(self.costs)} requests")
        for fault in self.faults:
            print(f"amplify: {fault}", file=sys.stderr)
        return 1 if self.faults or len(self.costs) < 500 else 0


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, "--data-dir", folder, "--rate-limits", "off")
        server.start()
        search = Search(server)
        try:
            search.graphql()
            search.fetches()
            search.pushes()
            rng = random.Random(SEED)
            for number in range(rounds):
                search.documents(rng, min(1, 0.15 * (number + 1)))
            if server.process.poll() is not None or server.panics():
                raise CheckFailed(f"the server stopped or panicked: {server.log_tail()}")
        finally:
            if server.process.poll() is None:
                server.kill()
        return search.report()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CheckFailed as failure:
        sys.exit(f"amplify: {failure}")
