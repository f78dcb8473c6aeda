"""Sends malformed requests to every operation of both documents.

Every response must arrive in time with a status below 500, and every error must have the standard
error body, even for bytes that are not HTTP. The cases come from a fixed seed, so a failure can be
reproduced.

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

from wire import Connection, ProtocolError, request

SEED = 20260310
STALL_TIMEOUT = 90.0
DEMO_KEY = pathlib.Path(__file__).parents[2] / "crates/world/src/demo.pem"
JWT_CACHE = {}
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


def malformed_http(operation):
    """Requests that violate HTTP itself, as raw bytes."""
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


def app_token():
    """A JSON web token of the demo app, renewed before it expires."""
    created, jwt = JWT_CACHE.get("last", (0, b""))
    if time.monotonic() - created > 240:
        command = [os.environ["FORGEWRIGHT_BINARY"], "token", "sign", "--app", "6001", "--key", str(DEMO_KEY)]
        jwt = b"Bearer " + subprocess.run(command, check=True, capture_output=True).stdout.strip()
        JWT_CACHE["last"] = (time.monotonic(), jwt)
    return jwt


class Operation:
    """An operation from a document, with the document's examples."""

    def __init__(self, document, path, method, description, common):
        self.method = method.upper()
        self.name = description["operationId"]
        self.path = path
        # Only an app can call these, with a JSON web token.
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
        """A token that may call the operation, so that the request gets past authorization."""
        if self.signed:
            return app_token()
        if self.path.startswith("/installation/") or self.name in ("create_check_run", "update_check_run"):
            return APP
        if self.path.startswith("/user/installations") and self.method == "GET":
            return b"Bearer ghu_demo_alice_ci_bot"
        return ADMINISTRATOR

    def fresh(self, body, rng):
        """The body with unused names if the operation creates something."""
        if self.method == "POST" and isinstance(body, dict):
            for key in ("name", "ref"):
                if body.get(key) == (self.body or {}).get(key) and isinstance(body.get(key), str):
                    body = {**body, key: f"{body[key]}-{rng.getrandbits(48):x}"}
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
        with urllib.request.urlopen(f"{url}/openapi/{name}.json", timeout=20) as response:
            document = json.load(response)
        for path, item in document["paths"].items():
            common = item.get("parameters", [])
            for method, description in item.items():
                if method in ("get", "put", "post", "patch", "delete"):
                    yield Operation(document, path, method, description, common)


def paths(value, path=()):
    """The path of every value inside a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from paths(inner, (*path, index))


def replaced(value, path, new):
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return copy


def encode(value):
    return json.dumps(value).encode()


def cases(operation, rng):
    """Requests for one operation: (method, target, headers, body)."""
    method, target = operation.method, operation.target()

    def case(method=method, target=target, headers=(), body=operation.body):
        if body is not None and not isinstance(body, bytes):
            body = operation.fresh(body, rng)
        token = operation.token() if rng.random() < 0.7 else rng.choice(TOKENS)
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
    for name, value in rng.sample(HEADERS, 12):
        yield case(headers=[(name, value), (name, b"other"), (name, value)])
    for bytes_ in BODIES:
        yield case(body=bytes_)
    if operation.body is not None:
        for path in list(paths(operation.body)) or [("name",)]:
            base = operation.body if path in list(paths(operation.body)) else {"name": 1}
            for value in VALUES:
                yield case(body=replaced(base, path, value))
        for key in operation.body:
            yield case(body={name: value for name, value in operation.body.items() if name != key})
            yield case(body={**operation.body, key.upper(): 1, "": 1, "__proto__": {}, "\U0001f680": None})
    for _ in range(40):
        yield case(
            method=rng.choice([method, *METHODS]),
            target=operation.target(rng.choice([*operation.examples, None]), rng.choice(WORDS)) + rng.choice([b"", *QUERIES]),
            headers=rng.sample(HEADERS, 3),
            body=rng.choice([operation.body, *BODIES[:30]]),
        )


def fault_of(response, method):
    """The fault of a response; None if it has none."""
    if response.status >= 500:
        return f"returns {response.status}"
    if response.repeated():
        return f"repeats {response.repeated()}"
    if any(name in ("x-injected", "set-cookie") for name, _ in response.headers):
        return "allows header injection"
    if response.status == 405 and b"not mergeable" not in response.body:
        return "returns 405, which is not documented; an unknown method gets 404"
    if response.body and response.header("content-type") == "application/json; charset=utf-8":
        try:
            parsed = json.loads(response.body)
        except ValueError:
            return "has the content type JSON, but is not JSON"
    elif response.body and not (response.status < 400 and response.header("content-type")):
        return f"has the content type {response.header('content-type')!r}"
    else:
        parsed = None
    if response.status < 400 or method == "HEAD":
        return None
    if response.header("content-type") != "application/json; charset=utf-8":
        return f"is an error with the content type {response.header('content-type')!r}"
    if not isinstance(parsed, dict) or not {"message", "documentation_url", "status"} <= set(parsed):
        return "is an error without message, documentation_url or status"
    if set(parsed) - {"message", "documentation_url", "status", "errors"}:
        return f"is an error with additional fields: {sorted(parsed)}"
    if parsed["status"] != str(response.status) or not parsed["message"] or not isinstance(parsed["message"], str):
        return "has an invalid status or message in its body"
    if not str(parsed["documentation_url"]).startswith("https://"):
        return "has no documentation_url"
    for name in ("etag", "cache-control"):
        if response.header(name):
            return f"is an error with {name}"
    return None


class Results:
    """Counts responses and keeps one example of each kind of fault for each operation."""

    def __init__(self):
        self.lock = threading.Lock()
        self.statuses = Counter()
        self.reached = set()
        self.faults = {}

    def add(self, operation, sent, response, fault):
        with self.lock:
            if response is not None:
                self.statuses[response.status] += 1
                if response.status < 300 and sent.startswith(operation.method.encode() + b" "):
                    self.reached.add(operation.name)
            if fault is None:
                return
            key = (operation.name, fault)
            count, example, body = self.faults.get(key, (0, sent, response.body if response else b""))
            self.faults[key] = (count + 1, min(example, sent, key=len), body)

    def report(self):
        total = sum(self.statuses.values())
        print(f"{total} responses:", ", ".join(f"{status} x {count}" for status, count in sorted(self.statuses.items())))
        for (operation, fault), (count, sent, body) in sorted(self.faults.items()):
            print(f"\n{operation}: {fault} ({count} times), for example\n  {sent[:400]!r}\n  -> {body[:300]!r}")
        return total


def exchange(connection, operation, case, results, rng):
    method, target, headers, body = case
    sent = request(method, target, headers, body)
    # Some of these violate the grammar of HTTP, and the server closes the connection.
    malformed = any(byte < 33 or byte > 126 for byte in target) or b"\\" in target or any(
        name in (b"Host", b"Transfer-Encoding", b"Content-Length") for name, _ in headers
    ) or any(byte < 32 for _, value in headers for byte in value) or not target.startswith(b"/") or len(sent) > 400000 and body is None
    pieces = [sent]
    if body and len(body) < 3000 and rng.random() < 0.15:
        half = len(body) // 2
        chunks = [piece for piece in (body[:half], body[half:]) if piece]
        head = request(method, target, [*headers, (b"Transfer-Encoding", b"chunked")])
        pieces = [head, *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in chunks), b"0\r\n\r\n"]
    try:
        if connection.rest:
            raise ProtocolError(f"more than one response: {connection.rest[:80]!r}")
        # The server may close an idle connection between two requests, but not a new one.
        for left in range(1 if connection.socket is None else 2, 0, -1):
            connection.send(*pieces)
            try:
                response = connection.read_response(method)
                break
            except ProtocolError:
                if left == 1:
                    raise
                connection.close()
        results.add(operation, sent, response, fault_of(response, method))
        if operation.name == "create_issue_field" and response.status == 200 and method == "POST":
            delete_field(connection, target, response)
        if response.status == 204 and b"/gadgets/git/ref" in target:
            recreate_branch(connection)
        if response.status in (400, 413) or malformed:
            connection.close()
    except ProtocolError as error:
        connection.close()
        results.add(operation, sent, None, str(error))


def delete_field(connection, target, response):
    """Deletes a new issue field: an organization may have only 25 of them."""
    field = target.split(b"?")[0] + b"/%d" % json.loads(response.body)["id"]
    connection.send(request("DELETE", field, [(b"Authorization", ADMINISTRATOR)]))
    connection.read_response("DELETE")


def recreate_branch(connection):
    """Creates the branch of the examples again, in case the request deleted it."""
    body = encode({"ref": "refs/heads/feature/a", "sha": "8eab163a70f05830af308d28304b3508f0118432"})
    connection.send(request("POST", b"/repos/acme/gadgets/git/refs", [(b"Authorization", ADMINISTRATOR)], body))
    connection.read_response("POST")


def prepare(address, all_operations):
    """Creates what some operations need and the demo lacks: a pull request behind its base, branches
    to open a pull request for and to merge, reviews to submit, to delete and to dismiss, a comment, a
    label to remove, a check run, and a delivery to a port where nothing listens."""
    connection = Connection(*address)

    def send(method, path, body, caller=ADMINISTRATOR):
        connection.send(request(method, path, [(b"Authorization", caller)], encode(body) if body else b""))
        return json.loads(connection.read_response(method).body)

    send("PATCH", b"/app/hook/config", {"url": "http://127.0.0.1:9/"}, app_token())
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
    liked = send("POST", gadgets + b"/issues/4/comments", {"body": "True"})["id"]
    reaction = send("POST", gadgets + f"/issues/comments/{liked}/reactions".encode(), {"content": "heart"})["id"]
    new = next(operation for operation in all_operations if operation.name == "create_review_comment").body
    liked_review = send("POST", gadgets + b"/pulls/1/comments", new)["id"]
    review_reaction = send(
        "POST", gadgets + f"/pulls/comments/{liked_review}/reactions".encode(), {"content": "heart"}
    )["id"]
    send("POST", gadgets + b"/issues/4/labels", {"labels": ["removed"]})
    check = send("POST", gadgets + b"/check-runs", {"name": "lint", "head_sha": with_main["sha"]}, APP)
    deadline = time.monotonic() + 30
    while not (deliveries := send("GET", b"/app/hook/deliveries", None, app_token())):
        if time.monotonic() > deadline:
            sys.exit("attack: the push event was not delivered to the demo app")
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
            operation.examples |= {"comment_id": str(liked), "reaction_id": str(reaction)}
        elif "_review_comment_reaction" in operation.name:
            operation.examples |= {"comment_id": str(liked_review), "reaction_id": str(review_reaction)}
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
    """The sort key of a case: deletions run last, those of DELETE operations before others, and the
    revocation of a token at the very end. Workers take cases from the end of the list."""
    operation, case = entry
    method = case[0] if isinstance(case, tuple) else operation.method
    return (
        operation.name != "revoke_installation_token",
        method.upper() != "DELETE" or operation.name == "delete_pending_review",
        operation.method == method.upper(),
    )


def exchange_raw(address, operation, sent, results):
    connection = Connection(*address)
    try:
        connection.send(sent)
        connection.finish()
        response = connection.read_response("HEAD" if sent.startswith(b"HEAD") else "GET")
        results.add(operation, sent, response, fault_of(response, "GET"))
    except ProtocolError as error:
        # The server may close the connection, but it must not leave the client waiting.
        closed = "closed" in str(error) or "reset" in str(error)
        results.add(operation, sent, None, None if closed else str(error))
    finally:
        connection.close()


def pipeline(address, all_operations, results):
    """Sends many pipelined requests on one connection; the responses must keep their order."""
    connection = Connection(*address)
    reads = [operation for operation in all_operations if operation.method == "GET"]
    sent = [request("GET", operation.target(), [(b"Authorization", ADMINISTRATOR)]) for operation in reads] * 5
    connection.send(b"".join(sent))
    for one, operation in zip(sent, reads * 5):
        try:
            response = connection.read_response("GET")
            results.add(operation, one, response, fault_of(response, "GET"))
        except ProtocolError as error:
            results.add(operation, one, None, f"in a pipeline: {error}")
            break
    connection.close()


def stall(address, all_operations, results):
    """Clients that stall mid-request: the server responds with an error or closes the connection,
    but never with a 5xx, which would make clients retry."""
    operation = next(operation for operation in all_operations if operation.name == "create_ref")
    head = b"POST " + operation.target() + b" HTTP/1.1\r\nHost: forge.example\r\nAuthorization: " + ADMINISTRATOR
    for sent in (
        head + b"\r\nContent-Length: 50\r\n\r\n{",
        head + b"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        head,
    ):
        connection = Connection(*address)
        connection.send(sent)
        connection.socket.settimeout(STALL_TIMEOUT)
        try:
            response = connection.read_response("POST")
            results.add(operation, sent, response, fault_of(response, "POST"))
        except ProtocolError as error:
            waits = "no response" in str(error)
            results.add(operation, sent, None, f"lets a client stall for {STALL_TIMEOUT} s" if waits else None)
        connection.close()


def worker(address, work, results, rng):
    connection = Connection(*address)
    while True:
        try:
            operation, case = work.pop()
        except IndexError:
            break
        if isinstance(case, bytes):
            exchange_raw(address, operation, case, results)
        else:
            exchange(connection, operation, case, results, rng)
    connection.close()


def main():
    url = os.environ["FORGEWRIGHT_URL"]
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    parts = urllib.parse.urlsplit(url)
    address = (parts.hostname, parts.port)
    rng = random.Random(SEED)
    all_operations = list(operations(url))
    prepare(address, all_operations)
    results = Results()
    stalling = threading.Thread(target=stall, args=(address, all_operations, results))
    stalling.start()
    for _ in range(rounds):
        work = []
        for operation in all_operations:
            work += [(operation, case) for case in cases(operation, rng)]
            work += [(operation, raw) for raw in malformed_http(operation)]
        rng.shuffle(work)
        work.sort(key=order)
        threads = [
            threading.Thread(target=worker, args=(address, work, results, random.Random(SEED + number)))
            for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pipeline(address, all_operations, results)
    stalling.join()
    total = results.report()
    if total < 1000 * rounds:
        print("attack: far too few responses; is the server running?", file=sys.stderr)
        return 1
    missed = {operation.name for operation in all_operations} - results.reached
    for name in sorted(missed):
        print(f"attack: no request to {name} succeeded, so its handler was not tested", file=sys.stderr)
    return 1 if results.faults or missed else 0


if __name__ == "__main__":
    sys.exit(main())
