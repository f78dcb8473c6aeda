"""Sends malformed requests to every operation of both documents.

Every answer comes in time and is below 500, and every refusal has the one error shape, even
for bytes that are not HTTP. The cases come from a fixed seed, so a failure can be repeated.

    FORGEWRIGHT_URL=http://127.0.0.1:8080 python3 attack.py [ROUNDS]
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter

from wire import Broken, Connection, request

SEED = 20260310
DAWDLING = 90.0
DEMO_KEY = pathlib.Path(__file__).parents[2] / "src/world/demo.pem"
SIGNED = {}
ADMINISTRATOR = b"Bearer ghp_demo_alice_admin"
APP = b"Bearer ghs_demo_ci_bot_acme"
TOKENS = [
    None,
    b"token ghp_demo_bob_member",
    b"Bearer ghp_demo_carol",
    b"Bearer github_pat_demo_alice",
    b"Bearer ghu_demo_alice_ci_bot",
    b"Bearer ghs_demo_ci_bot_acme",
]
METHODS = "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND get FROBNICATE".split()

WORDS = [
    b"", b"%", b"%2", b"%zz", b"%00", b"a%00b", b"%ff%fe", b"%c0%af", b"%ed%a0%80", b"..", b".",
    b"%2e%2e", b"..%2f..%2fetc%2fpasswd", b"%2F", b"//", b"%20", b"%0d%0aX-Injected:%20yes",
    b"\xf0\x9f\x9a\x80", b"%F0%9F%9A%80", b"%u0041", b"'", b"%22", b"'%20OR%201=1--", b"%25",
    b"%2500", b"{org}", b"%7B%7D", b"$ref", b"*", b"~", b"@", b"@%7B", b"-1", b"0", b"+1", b"1e3",
    b"1.0", b"0x10", b"007", b"9223372036854775807", b"9223372036854775808",
    b"-9223372036854775808", b"18446744073709551616", b"1" * 400, b"NaN", b"null", b"true",
    b"a" * 300, b"a" * 5000, b"%C3%A9", b"e%CC%81", b"%E2%80%AE", b"%EF%BB%BF", b";x=1", b"a;b",
    b"acme.git", b"ACME", b"heads", b"heads/", b"refs/heads/main", b"heads/main.lock",
    b"heads/" + b"x/" * 400 + b"y", b"heads%2Fmain", b"heads//main", b"tags/v1.0%5E%7B%7D",
]
VALUES = [
    None, True, False, 0, -1, 1, 1.5, 1e308, -0.0, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**40,
    "", " ", "\0", "a\0b", "\t\r\n", "null", "0", "x" * 256, "x" * 70000, "\U0001f680" * 40,
    "\ufeff", "\u202e", "\ud800", "'; DROP TABLE ref; --", "<script>alert(1)</script>", "../..",
    "refs/heads/" + "é" * 100, "refs/heads/../../x", "refs/heads/a b", "refs/heads/.lock",
    "refs/" + "d/" * 1000 + "e", "0" * 40, "g" * 40, "A" * 40, "d9ca5d07751fd95f561f0b4ebc34cd6a8850b70b",
    "2026-02-30", "2026-13-01T00:00:00Z", "9999-12-31", "0000-00-00", "-1-01-01",
    [], {}, [[]], [None], [{}], {"": ""}, {"a": {"b": {"c": []}}}, [1, "a", None], ["x"] * 2000,
]
BODIES = [
    b"", b" ", b"null", b"true", b"0", b'"x"', b"[]", b"[{}]", b"{", b"}", b"{}{}", b"{} x", b"{,}",
    b'{"a":}', b'{"a":1,}', b"{'a':1}", b'{"a":01}', b'{"a":NaN}', b'{"a":1e99999}',
    b'{"a":' + b"9" * 5000 + b"}", b'{"name":"\\ud800"}', b'{"name":"\xff\xfe"}', b"\xef\xbb\xbf{}",
    b'{"name":"\x00"}', b'{"name":"a","name":1}', b"\x00", b"\xff" * 100,
    b"\xff\xfe{\x00}\x00", b"[" * 100000, b'{"a":' * 20000, b"{" * 500 + b"}" * 500,
    b'{"a":' * 120 + b"1" + b"}" * 120, b"a=b&c=d", b"<xml/>", b"// x\n{}",
    b'{"' + b"k" * 100000 + b'":1}', b'{"body":"' + b"x" * 1048576 + b'"}', b" " * 2000000,
    b"{" + b",".join(b'"k%d":%d' % (n, n) for n in range(20000)) + b"}",
]
HEADERS = [
    (b"Authorization", value)
    for value in [
        b"", b" ", b"Bearer", b"Bearer ", b"Bearer  x", b"bearer \xff\xfe", b"Basic YTpi",
        b"Basic !!!", b"token", b"Bearer a.b.c", b"Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiI2MDAxIn0.",
        b"Bearer eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOjYwMDEsImV4cCI6MX0.AAAA", b"Bearer " + b"x" * 7000,
        b"Bearer ghp_demo_alice_admin, Bearer ghp_demo_bob_member", b"Negotiate", b"Digest a=b",
        b"Bearer ghp_demo_alice_admin ", b"Bearer\tghp_demo_alice_admin", b"Bearer ..", b"Bearer a.b.c.d",
    ]
] + [
    (b"Accept", value)
    for value in [
        b"", b"*/*", b"text/html", b"application/xml", b"image/png, */*;q=0", b"a", b"/", b"*/", b"\xff",
        b"application/json;q=abc", b"application/vnd.", b"application/vnd.+json", b"application/vnd.x.full",
        b"application/vnd.github-commitcomment.nonsense+json", b", , ,", b"application/json;" + b"x" * 5000,
        b"application/vnd.github.v3.full+json", b"application/vnd.\xc3\xa9-commitcomment.html+json",
    ]
] + [
    (name, value)
    for name in (b"X-Service-Api-Version", b"X-GitHub-Api-Version")
    for value in (b"", b"2026-03-10", b"v3", b"2026-03-10 ", b"2026-03-10,2022-11-28", b"\xff", b"9" * 3000)
] + [
    (b"If-None-Match", value)
    for value in (b"", b"*", b'"', b'W/"', b"W/", b'"a" "b"', b'"a",' * 500, b"\xff", b"* , *")
] + [
    (b"If-Modified-Since", value)
    for value in (b"", b"yesterday", b"Thu, 31 Feb 2026 99:00:00 GMT", b"\xff", b"0", b"Sun, 06 Nov 0000 08:49:37 GMT", b"Thu, 01 Jan 1970 00:00:00 GMT", b"Fri, 31 Dec 9999 23:59:59 GMT")
] + [
    (b"Host", value)
    for value in (b"a b", b"[::1]", b"[", b"x:99999", b"a/b", b'"><script>', b"a,b", b"forge.example:8080", b"\xc3\xa9.example", b"a@b", b"x" * 3000, b"a>; rel=\"next\"")
] + [
    (b"X-Forwarded-Proto", b"javascript"), (b"X-Forwarded-Host", b"evil.example"),
    (b"Forwarded", b"for=\"_x\";host=evil"), (b"X-Forwarded-For", b"999.999.999.999"),
    (b"Content-Type", b""), (b"Content-Type", b"text/plain"), (b"Content-Type", b"application/json; charset=utf-16"),
    (b"Content-Type", b"multipart/form-data"), (b"Content-Type", b"\xff"), (b"Content-Encoding", b"gzip"),
    (b"Expect", b"100-continue"), (b"Expect", b"nonsense"), (b"Range", b"bytes=0-1"), (b"TE", b"trailers"),
    (b"Upgrade", b"h2c"), (b"Upgrade", b"websocket"), (b"Connection", b"Upgrade"), (b"Origin", b"null"), (b"Cookie", b"a=b;" * 1000),
    (b"X-HTTP-Method-Override", b"DELETE"), (b"Accept-Encoding", b"gzip;q=2, \xff"), (b"User-Agent", b""),
    (b"X-Long", b"x" * 30000), (b"Date", b"never"), (b"Transfer-Encoding", b"identity"),
]
QUERIES = [
    b"?", b"??", b"?&&&", b"?=", b"?a", b"?per_page", b"?per_page=", b"?per_page=-1", b"?per_page=0",
    b"?per_page=101", b"?per_page=99999999999999999999", b"?per_page=1e2", b"?per_page[]=1",
    b"?per_page=1&per_page=2", b"?page=0", b"?page=-1", b"?page=9223372036854775807",
    b"?page=18446744073709551616&per_page=100", b"?page=x", b"?page=92233720368547758&per_page=100",
    b"?after=", b"?after=x", b"?after=%00", b"?after=%ff", b"?before=Y3Vyc29yOnYyOpLOAB2Ng84AgUw1",
    b"?after=Y3Vyc29yOnYyOpLOAB2Ng84AgUw1&before=Y3Vyc29yOnYyOpLOAB2Ng84AgUw1", b"?after=" + b"A" * 5000,
    b"?sort=created&direction=sideways", b"?sort=%00", b"?sort=updated&direction=desc", b"?sort=created_at",
    b"?since=", b"?since=yesterday", b"?since=2026-02-30T00:00:00Z", b"?since=9999-12-31T23:59:59Z",
    b"?since=-9999-01-01T00:00:00Z", b"?since=0000-01-01T00:00:00Z", b"?since=2026-03-10T09:30:00%2B99:00",
    b"?since=2026-03-10", b"?since=1", b"?since=2026-03-10T09:30:00.999999999999Z", b"?%ff=%ff", b"?%00", b"?callback=alert(1)",
    b"?x=%0d%0aSet-Cookie:a=b", b"?x=\xf0\x9f\x9a\x80", b"?" + b"a=1&" * 3000, b"?q=%3E%3B%20rel%3D%22next%22", b"?access_token=ghp_demo_alice_admin",
]


def not_http(operation):
    """What is wrong as HTTP, with how each is framed."""
    target = operation.target()
    line = operation.method.encode()
    host = b"Host: forge.example\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n\r\n"
    yield line + b" " + target + b" HTTP/9.9\r\n" + host + b"\r\n"
    yield line + b" " + target + b"\r\n\r\n"
    yield line + b"  " + target + b"  HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" " + target + b"\x00 HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" " + target + b" x HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" " + target.lstrip(b"/") + b" HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" http://[/ HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" http://other.example" + target + b" HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" * HTTP/1.1\r\n" + host + b"\r\n"
    yield b"CONNECT forge.example:80 HTTP/1.1\r\n" + host + b"\r\n"
    yield b"G\xffT " + target + b" HTTP/1.1\r\n" + host + b"\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"Bad Header: x\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"NoColon\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b": empty\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"X: a\r\n folded\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"X: a\rb\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"X: a\x00b\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"X: " + b"y" * 900000 + b"\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"X: y\r\n" * 2000 + b"\r\n"
    yield line + b" /" + b"a" * 100000 + b" HTTP/1.1\r\n" + host + b"\r\n"
    for length in (b"-1", b"x", b"1 2", b"+3", b"99999999999999999999999", b"2, 3", b"0x2"):
        yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"Content-Length: " + length + b"\r\n\r\n{}"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    for chunks in (b"x\r\n", b"-1\r\n", b"FFFFFFFFFFFFFFFFF\r\n", b"2\r\n{}x\r\n0\r\n\r\n", b"2;" + b"e" * 20000 + b"\r\n{}\r\n0\r\n\r\n"):
        yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n" + chunks
    yield line + b" " + target + b" HTTP/1.1\r\n" + host + b"Content-Length: 50\r\n\r\n{"
    yield b"\r\n\r\n" + line + b" " + target + b" HTTP/1.1\r\n" + host + b"\r\n"
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    yield b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield line + b" " + target + b" HTTP/1.0\r\n\r\n"


def signature():
    """What the demo's app signs, a new one while the last is still good."""
    made, jwt = SIGNED.get("last", (0, b""))
    if time.monotonic() - made > 240:
        command = [os.environ["FORGEWRIGHT_BINARY"], "token", "sign", "--app", "6001", "--key", str(DEMO_KEY)]
        jwt = b"Bearer " + subprocess.run(command, check=True, capture_output=True).stdout.strip()
        SIGNED["last"] = (time.monotonic(), jwt)
    return jwt


class Operation:
    """An operation as a document describes it, with the examples that the document gives."""

    def __init__(self, document, path, method, description, common):
        self.method = method.upper()
        self.name = description["operationId"]
        self.path = path
        # Only an app can call these, with a signature.
        self.signed = path.startswith("/app") or path.endswith("/installation")
        self.examples = {}
        for parameter in [*common, *description.get("parameters", [])]:
            parameter = resolved(document, parameter)
            if parameter["in"] == "path":
                self.examples[parameter["name"]] = str(parameter.get("example", "1"))
        body = description.get("requestBody", {}).get("content", {}).get("application/json", {})
        schema = resolved(document, body.get("schema", {}))
        self.body = body.get("example") or schema.get("example") or ({} if body else None)
        alternatives = schema.get("oneOf") or schema.get("anyOf") or []
        if not self.body and alternatives:
            self.body = resolved(document, alternatives[0]).get("example", {})

    def token(self):
        """A token that may call the operation, so that its depth is reached."""
        if self.signed:
            return signature()
        if self.path.startswith("/installation/") or self.name in ("create_check_run", "update_check_run"):
            return APP
        if self.path.startswith("/user/installations") and self.method == "GET":
            return b"Bearer ghu_demo_alice_ci_bot"
        return ADMINISTRATOR

    def fresh(self, body, chance):
        """The body with names that nothing has yet, where the operation creates something."""
        if self.method == "POST" and isinstance(body, dict):
            for key in ("name", "ref"):
                if body.get(key) == (self.body or {}).get(key) and isinstance(body.get(key), str):
                    body = {**body, key: f"{body[key]}-{chance.getrandbits(48):x}"}
        return encode(body)

    def target(self, replace=None, value=b""):
        target = self.path.encode()
        for name, example in self.examples.items():
            filled = value if name == replace else example.encode()
            target = target.replace(b"{%s}" % name.encode(), filled)
        return target


def resolved(document, thing):
    while "$ref" in thing:
        found = document
        for key in thing["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        thing = found
    return thing


def operations(url):
    for name in ("service", "companion"):
        with urllib.request.urlopen(f"{url}/openapi/{name}.json", timeout=20) as answer:
            document = json.load(answer)
        for path, item in document["paths"].items():
            common = item.get("parameters", [])
            for method, description in item.items():
                if method in ("get", "put", "post", "patch", "delete"):
                    yield Operation(document, path, method, description, common)


def places(value, path=()):
    """Every place inside a JSON value, so that each can be replaced."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from places(inner, (*path, index))


def replaced(value, path, new):
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copy


def encode(value):
    return json.dumps(value).encode()


def cases(operation, chance):
    """Requests for one operation: (method, target, headers, body)."""
    method, target = operation.method, operation.target()

    def case(method=method, target=target, headers=(), body=operation.body):
        if body is not None and not isinstance(body, bytes):
            body = operation.fresh(body, chance)
        token = operation.token() if chance.random() < 0.7 else chance.choice(TOKENS)
        headers = list(headers)
        if token and not any(name == b"Authorization" for name, _ in headers):
            headers.append((b"Authorization", token))
        return method, target, headers, body

    for name in operation.examples:
        for word in WORDS:
            yield case(target=operation.target(name, word))
    for suffix in (b"/", b"//", b"/x", b"/.", b"/..", b"%2F", b"#x", b"/../..", b"\\", b".json"):
        yield case(target=target + suffix)
    for prefix in (b"/api/v3", b"/api/v3/api/v3", b"//", b"/./", b"/api", b"/API/V3", b"/%61pi/v3", b"/x/.."):
        yield case(target=prefix + target)
    for query in QUERIES:
        yield case(target=target + query)
    for other in METHODS:
        yield case(method=other)
        yield case(method=other, body=b"{}")
    for header in HEADERS:
        yield case(headers=[header])
    for name, value in chance.sample(HEADERS, 12):
        yield case(headers=[(name, value), (name, b"other"), (name, value)])
    for bytes_ in BODIES:
        yield case(body=bytes_)
    if operation.body is not None:
        for place in list(places(operation.body)) or [("name",)]:
            base = operation.body if place in list(places(operation.body)) else {"name": 1}
            for value in VALUES:
                yield case(body=replaced(base, place, value))
        for key in operation.body:
            yield case(body={name: value for name, value in operation.body.items() if name != key})
            yield case(body={**operation.body, key.upper(): 1, "": 1, "__proto__": {}, "\U0001f680": None})
    for _ in range(40):
        yield case(
            method=chance.choice([method, *METHODS]),
            target=operation.target(chance.choice([*operation.examples, None]), chance.choice(WORDS)) + chance.choice([b"", *QUERIES]),
            headers=chance.sample(HEADERS, 3),
            body=chance.choice([operation.body, *BODIES[:30]]),
        )


def wrong_with(answer, method):
    """What is wrong with an answer; None if nothing is."""
    if answer.status >= 500:
        return f"answers {answer.status}"
    if answer.repeated():
        return f"repeats {answer.repeated()}"
    if any(name in ("x-injected", "set-cookie") for name, _ in answer.headers):
        return "lets a caller write headers"
    if answer.status == 405 and b"not mergeable" not in answer.body:
        return "answers 405, which is not documented; an unknown method is 404"
    if answer.body and answer.header("content-type") == "application/json; charset=utf-8":
        try:
            parsed = json.loads(answer.body)
        except ValueError:
            return "is no JSON, although it says so"
    elif answer.body and not (answer.status < 400 and answer.header("content-type")):
        return f"has the type {answer.header('content-type')!r}"
    else:
        parsed = None
    if answer.status < 400 or method == "HEAD":
        return None
    if answer.header("content-type") != "application/json; charset=utf-8":
        return f"refuses with the type {answer.header('content-type')!r}"
    if not isinstance(parsed, dict) or not {"message", "documentation_url", "status"} <= set(parsed):
        return "refuses without message, documentation_url and status"
    if set(parsed) - {"message", "documentation_url", "status", "errors"}:
        return f"refuses with more than the error shape: {sorted(parsed)}"
    if parsed["status"] != str(answer.status) or not parsed["message"] or not isinstance(parsed["message"], str):
        return "has a status or message that is not its own"
    if not str(parsed["documentation_url"]).startswith("https://"):
        return "has no documentation_url"
    for name in ("etag", "cache-control"):
        if answer.header(name):
            return f"is a refusal with {name}"
    return None


class Verdict:
    """Counts answers and keeps one example of each kind of fault for each operation."""

    def __init__(self):
        self.lock = threading.Lock()
        self.statuses = Counter()
        self.reached = set()
        self.faults = {}

    def note(self, operation, sent, answer, wrong):
        with self.lock:
            if answer is not None:
                self.statuses[answer.status] += 1
                if answer.status < 300 and sent.startswith(operation.method.encode() + b" "):
                    self.reached.add(operation.name)
            if wrong is None:
                return
            key = (operation.name, wrong)
            count, example, body = self.faults.get(key, (0, sent, answer.body if answer else b""))
            self.faults[key] = (count + 1, min(example, sent, key=len), body)

    def report(self):
        total = sum(self.statuses.values())
        print(f"{total} answers:", ", ".join(f"{status} x {count}" for status, count in sorted(self.statuses.items())))
        for (operation, wrong), (count, sent, body) in sorted(self.faults.items()):
            print(f"\n{operation}: {wrong} ({count} times), for example\n  {sent[:400]!r}\n  -> {body[:300]!r}")
        return total


def exchange(connection, operation, case, verdict, chance):
    method, target, headers, body = case
    sent = request(method, target, headers, body)
    # Some of these are beyond HTTP's own grammar, and end the connection.
    beyond = any(byte < 33 or byte > 126 for byte in target) or b"\\" in target or any(
        name in (b"Host", b"Transfer-Encoding", b"Content-Length") for name, _ in headers
    ) or any(byte < 32 for _, value in headers for byte in value) or not target.startswith(b"/") or len(sent) > 400000 and body is None
    pieces = [sent]
    if body and len(body) < 3000 and chance.random() < 0.15:
        half = len(body) // 2
        chunks = [piece for piece in (body[:half], body[half:]) if piece]
        head = request(method, target, [*headers, (b"Transfer-Encoding", b"chunked")])
        pieces = [head, *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in chunks), b"0\r\n\r\n"]
    try:
        if connection.rest:
            raise Broken(f"there is more than one answer: {connection.rest[:80]!r}")
        # A kept connection may be closed between two requests; a fresh one may not.
        for left in range(1 if connection.socket is None else 2, 0, -1):
            connection.send(*pieces)
            try:
                answer = connection.answer(method)
                break
            except Broken:
                if left == 1:
                    raise
                connection.close()
        verdict.note(operation, sent, answer, wrong_with(answer, method))
        if operation.name == "create_issue_field" and answer.status == 200 and method == "POST":
            forget(connection, target, answer)
        if answer.status == 204 and b"/gadgets/git/ref" in target:
            restore(connection)
        if answer.status in (400, 413) or beyond:
            connection.close()
    except Broken as error:
        connection.close()
        verdict.note(operation, sent, None, str(error))


def forget(connection, target, answer):
    """Deletes an issue field again: an organization may have only 25 of them."""
    made = target.split(b"?")[0] + b"/%d" % json.loads(answer.body)["id"]
    connection.send(request("DELETE", made, [(b"Authorization", ADMINISTRATOR)]))
    connection.answer("DELETE")


def restore(connection):
    """Makes the branch of the examples again, which more than one path can delete."""
    body = encode({"ref": "refs/heads/feature/a", "sha": "8eab163a70f05830af308d28304b3508f0118432"})
    connection.send(request("POST", b"/repos/acme/gadgets/git/refs", [(b"Authorization", ADMINISTRATOR)], body))
    connection.answer("POST")


def prepare(address, all_operations):
    """Makes what some operations need and the demo has not: a pull request behind its base,
    branches to open one for and to merge, reviews to submit, to delete and to dismiss, a comment, a
    label to remove, a check run, and a delivery, to an address where nobody listens."""
    connection = Connection(*address)

    def send(method, path, body, caller=ADMINISTRATOR):
        connection.send(request(method, path, [(b"Authorization", caller)], encode(body) if body else b""))
        return json.loads(connection.answer(method).body)

    send("PATCH", b"/app/hook/config", {"url": "http://127.0.0.1:9/"}, signature())
    gadgets, widgets = b"/repos/acme/gadgets", b"/repos/acme/widgets"
    send("PUT", gadgets + b"/contents/behind.md", {"message": "Go on", "content": "QQ=="})
    with_main = {"sha": send("GET", gadgets + b"/git/ref/heads/main", None)["object"]["sha"]}
    for branch in ("opened", "merged"):
        send("POST", gadgets + b"/git/refs", {"ref": f"refs/heads/{branch}", **with_main})
        new = {"message": "Go on", "content": "QQ==", "branch": branch}
        send("PUT", gadgets + f"/contents/{branch}.md".encode(), new)
    merged = send("POST", gadgets + b"/pulls", {"title": "Merge", "head": "merged", "base": "main"})["number"]
    changes = {"body": "No", "event": "REQUEST_CHANGES"}
    dismissed = send("POST", gadgets + b"/pulls/1/reviews", changes)["id"]
    pending = send("POST", gadgets + b"/pulls/1/reviews", {"body": "Pending"})["id"]
    deleted = send("POST", widgets + b"/pulls/1/reviews", {"body": "Pending"})["id"]
    comment = send("POST", gadgets + b"/issues/3/comments", {"body": "Indeed"})["id"]
    spoken = send("POST", gadgets + b"/issues/4/comments", {"body": "True"})["id"]
    reacted = send("POST", gadgets + f"/issues/comments/{spoken}/reactions".encode(), {"content": "heart"})["id"]
    written = next(operation for operation in all_operations if operation.name == "create_review_comment").body
    remark = send("POST", gadgets + b"/pulls/1/comments", written)["id"]
    cheered = send("POST", gadgets + f"/pulls/comments/{remark}/reactions".encode(), {"content": "heart"})["id"]
    send("POST", gadgets + b"/issues/4/labels", {"labels": ["removed"]})
    check = send("POST", gadgets + b"/check-runs", {"name": "lint", "head_sha": with_main["sha"]}, APP)
    deadline = time.monotonic() + 30
    while not (deliveries := send("GET", b"/app/hook/deliveries", None, signature())):
        if time.monotonic() > deadline:
            sys.exit("attack: the push to the demo was not delivered to its app")
        time.sleep(0.05)
    connection.close()
    for operation in all_operations:
        if "delivery_id" in operation.examples:
            operation.examples["delivery_id"] = str(deliveries[0]["id"])
        elif "check_run_id" in operation.examples:
            operation.examples["check_run_id"] = str(check["id"])
        elif "check_suite_id" in operation.examples:
            operation.examples["check_suite_id"] = str(check["check_suite"]["id"])
        elif "_issue_comment_reaction" in operation.name:
            operation.examples |= {"comment_id": str(spoken), "reaction_id": str(reacted)}
        elif "_review_comment_reaction" in operation.name:
            operation.examples |= {"comment_id": str(remark), "reaction_id": str(cheered)}
        elif operation.name.endswith("_issue_comment") and "comment_id" in operation.examples:
            operation.examples["comment_id"] = str(comment)
        elif operation.name == "update_label":
            operation.examples["name"] = "documentation"
        elif operation.name == "remove_issue_label":
            operation.examples |= {"issue_number": "4", "name": "removed"}
        elif operation.name == "submit_review":
            operation.examples["review_id"] = str(pending)
        elif operation.name == "dismiss_review":
            operation.examples["review_id"] = str(dismissed)
        elif operation.name == "delete_pending_review":
            operation.examples |= {"repo": "widgets", "review_id": str(deleted)}
        elif operation.name == "merge_pull":
            operation.examples["pull_number"] = str(merged)
        elif operation.name == "create_pull":
            operation.body["head"] = "opened"
        elif operation.name == "update_user_project_item":
            operation.body["fields"] = [{"id": 5008, "value": "2026-04-01"}]


def order(entry):
    """Deletions come last, first those of the operation itself, and the revocation of a token last
    of all; work is taken from the end."""
    operation, case = entry
    method = case[0] if isinstance(case, tuple) else operation.method
    return (
        operation.name != "revoke_installation_token",
        method.upper() != "DELETE" or operation.name == "delete_pending_review",
        operation.method == method.upper(),
    )


def exchange_raw(address, operation, sent, verdict):
    connection = Connection(*address)
    try:
        connection.send(sent)
        connection.finish()
        answer = connection.answer("HEAD" if sent.startswith(b"HEAD") else "GET")
        verdict.note(operation, sent, answer, wrong_with(answer, "GET"))
    except Broken as error:
        # To hang up on what is not HTTP is an answer; to wait for ever is not.
        hung_up = "closed" in str(error) or "reset" in str(error)
        verdict.note(operation, sent, None, None if hung_up else str(error))
    finally:
        connection.close()


def pipeline(address, all_operations, verdict):
    """Many requests at once on one connection; the answers keep their order."""
    connection = Connection(*address)
    reads = [operation for operation in all_operations if operation.method == "GET"]
    sent = [request("GET", operation.target(), [(b"Authorization", ADMINISTRATOR)]) for operation in reads] * 5
    connection.send(b"".join(sent))
    for one, operation in zip(sent, reads * 5):
        try:
            answer = connection.answer("GET")
            verdict.note(operation, one, answer, wrong_with(answer, "GET"))
        except Broken as error:
            verdict.note(operation, one, None, f"in a pipeline: {error}")
            break
    connection.close()


def dawdle(address, all_operations, verdict):
    """Clients that stop in the middle: each gets a refusal or is hung up on, and no 5xx,
    which would blame the server and make clients try again."""
    operation = next(operation for operation in all_operations if operation.name == "create_ref")
    head = b"POST " + operation.target() + b" HTTP/1.1\r\nHost: forge.example\r\nAuthorization: " + ADMINISTRATOR
    for sent in (
        head + b"\r\nContent-Length: 50\r\n\r\n{",
        head + b"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        head,
    ):
        connection = Connection(*address)
        connection.send(sent)
        connection.socket.settimeout(DAWDLING)
        try:
            answer = connection.answer("POST")
            verdict.note(operation, sent, answer, wrong_with(answer, "POST"))
        except Broken as error:
            waits = "no answer" in str(error)
            verdict.note(operation, sent, None, f"lets a client dawdle for {DAWDLING} s" if waits else None)
        connection.close()


def worker(address, work, verdict, chance):
    connection = Connection(*address)
    while True:
        try:
            operation, case = work.pop()
        except IndexError:
            break
        if isinstance(case, bytes):
            exchange_raw(address, operation, case, verdict)
        else:
            exchange(connection, operation, case, verdict, chance)
    connection.close()


def main():
    url = os.environ["FORGEWRIGHT_URL"]
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    parts = urllib.parse.urlsplit(url)
    address = (parts.hostname, parts.port)
    chance = random.Random(SEED)
    all_operations = list(operations(url))
    prepare(address, all_operations)
    verdict = Verdict()
    dawdler = threading.Thread(target=dawdle, args=(address, all_operations, verdict))
    dawdler.start()
    for _ in range(rounds):
        work = []
        for operation in all_operations:
            work += [(operation, case) for case in cases(operation, chance)]
            work += [(operation, raw) for raw in not_http(operation)]
        chance.shuffle(work)
        work.sort(key=order)
        threads = [
            threading.Thread(target=worker, args=(address, work, verdict, random.Random(SEED + number)))
            for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pipeline(address, all_operations, verdict)
    dawdler.join()
    total = verdict.report()
    if total < 1000 * rounds:
        print("attack: far too few answers; is the server there?", file=sys.stderr)
        return 1
    missed = {operation.name for operation in all_operations} - verdict.reached
    for name in sorted(missed):
        print(f"attack: no request to {name} succeeded, so its depth was not reached", file=sys.stderr)
    return 1 if verdict.faults or missed else 0


if __name__ == "__main__":
    sys.exit(main())
