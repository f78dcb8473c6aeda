"""Clients that stall mid-request, send too much or disconnect. The server responds or closes each
connection in bounded time, and other clients are not affected."""

import gzip
import json
import socket
import tempfile
import time

from harness import ALICE, Server, check


class Wire:
    """A raw TCP connection."""

    def __init__(self, server, timeout=45):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        self.socket.settimeout(timeout)
        self.started = time.monotonic()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def rest(self):
        """Everything until the server closes the connection, and the time until then."""
        received = b""
        try:
            while chunk := self.socket.recv(65536):
                received += chunk
        except ConnectionResetError:
            pass
        finally:
            self.socket.close()
        return received.decode("latin-1"), time.monotonic() - self.started


def head(method, path, *lines):
    fixed = ["Host: localhost", f"Authorization: Bearer {ALICE}"]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *fixed, *lines, "", ""])


def refused(text, status, what):
    check(text.startswith(f"HTTP/1.1 {status} "), f"{what}: {text[:200]!r}")
    body = text.split("\r\n\r\n", 1)[1]
    check(json.loads(body)["status"] == str(status), f"{what}: not the standard error body: {body[:200]}")


REFS = "/repos/acme/work/git/refs"


def stalls_in_a_body(server):
    for lines, part in ((["Content-Length: 100"], '{"ref":'), (["Transfer-Encoding: chunked"], "5\r\n{\"ref")):
        text, seconds = Wire(server).send(head("POST", REFS, *lines)).send(part).rest()
        refused(text, 408, "a stalled body")
        check(seconds < 15, f"a stalled body: {seconds:.1f} s")
    return f"408 after {seconds:.1f} s"


def trickles_a_body(server):
    wire = Wire(server).send(head("POST", REFS, "Content-Length: 1000"))
    try:
        for _ in range(40):
            wire.send(" ")
            time.sleep(0.5)
    except OSError:
        pass
    text, seconds = wire.rest()
    if text:
        refused(text, 408, "a trickling body")
    check(seconds < 25, f"a trickling body: {seconds:.1f} s")
    return f"closed after {seconds:.1f} s"


def stalls_in_a_header(server):
    text, seconds = Wire(server).send("GET / HTTP/1.1\r\nHost: loc").rest()
    check(seconds < 35, f"half a header: {seconds:.1f} s")
    return f"closed after {seconds:.1f} s"


def large_header(server):
    text, seconds = Wire(server).send(head("GET", "/", "X-Large: " + "a" * 300_000)).rest()
    refused(text, 431, "a large header")
    many = [f"X-{number}: a" for number in range(500)]
    text, _ = Wire(server).send(head("GET", "/", *many)).rest()
    refused(text, 431, "many headers")
    return "431"


def large_body(server):
    wire = Wire(server).send(head("POST", REFS, "Content-Length: 100000000"))
    try:
        for _ in range(100):
            wire.send(b"a" * 1_000_000)
    except OSError:
        pass
    text, seconds = wire.rest()
    if text:
        refused(text, 413, "a large body")
    check(seconds < 10, f"a large body: {seconds:.1f} s")
    return f"413 or closed after {seconds:.1f} s"


def compressed_body(server):
    bomb = gzip.compress(b"\0" * 50_000_000)
    lines = ["Content-Encoding: gzip", f"Content-Length: {len(bomb)}", "Connection: close"]
    text, _ = Wire(server).send(head("POST", REFS, *lines)).send(bomb).rest()
    refused(text, 415, "a compressed body")
    return f"415 for {len(bomb)} bytes that decompress to 50,000,000"


def deep_body(server):
    deep = '{"ref":' + "[" * 100_000 + "]" * 100_000 + "}"
    lines = [f"Content-Length: {len(deep)}", "Connection: close"]
    text, _ = Wire(server).send(head("POST", REFS, *lines)).send(deep).rest()
    refused(text, 400, "a deep body")
    return "400"


def pipelined(server):
    one = head("GET", "/repos/acme/work/git/ref/heads/main")
    last = head("GET", "/repos/acme/work/git/ref/heads/none", "Connection: close")
    text, _ = Wire(server).send(one * 50 + last).rest()
    check(text.count("HTTP/1.1 200 ") == 50 and text.count("HTTP/1.1 404 ") == 1, "pipelined: a response is missing")
    check(text.rindex("HTTP/1.1 404 ") > text.rindex("HTTP/1.1 200 "), "pipelined: out of order")
    return "51 responses in order"


def connection_survives_an_error(server):
    """A request with invalid credentials leaves the connection usable."""
    client = server.client("ghp_wrong")
    for _ in range(100):
        response = client.call("POST", REFS, {"ref": "refs/heads/a", "sha": "a" * 40, "more": "b" * 2000})
        check(response.status == 401, f"a wrong credential: {response.status}")
        check(client.connection is not None, "an error closes the connection")
    return "100 errors on one connection"


def not_http(server):
    for junk in (b"\x16\x03\x01\x02\x00", b"\0" * 1000, b"SSH-2.0-x\r\n\r\n", b"GET /\xff\xfe HTTP/1.1\r\n\r\n"):
        Wire(server, 35).send(junk).socket.close()
    return "survived"


def disconnects(server):
    """Resets four hundred connections at every stage of a request."""
    whole = head("POST", REFS, "Content-Length: 20") + '{"ref": "refs/heads"}'
    for number in range(400):
        wire = Wire(server).send(whole[: 1 + number * len(whole) // 400])
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        wire.socket.close()
    return "400 resets survived"


def reads_no_response(server):
    """Sends many requests without reading the responses."""
    wire = Wire(server)
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.socket.setblocking(False)
    page = head("GET", "/openapi/service.yaml").encode()
    started = time.monotonic()
    while time.monotonic() - started < 45:
        try:
            wire.socket.send(page)
        except BlockingIOError:
            time.sleep(0.2)
        except OSError:
            return f"closed after {time.monotonic() - started:.1f} s"
    check(False, "a client that reads no responses keeps its connection")


def service_paths_reject_other_methods(server):
    for path in ("/healthz", "/readyz", "/metrics", "/docs", "/docs/", "/openapi/service.json", "/operations.json"):
        for method in ("POST", "DELETE"):
            response = server.client().call(method, path, {})
            check(response.status in (404, 405) and response.has_standard_error_body(), f"{method} {path}: {response.status}")
        check(server.client().call("HEAD", path).status in (200, 302), f"HEAD {path}")
    check(server.client().get("/docs/%ff").status == 404, "/docs/%ff exists")
    return "rejected"


QUICK = [stalls_in_a_body, large_header, large_body, compressed_body, deep_body, pipelined,
         connection_survives_an_error, not_http, disconnects, service_paths_reject_other_methods]
SLOW = [trickles_a_body, stalls_in_a_header, reads_no_response]


def run(options):
    import threading
    with tempfile.TemporaryDirectory(prefix="forgewright-wire.") as folder:
        server = Server(folder, f"sqlite://{folder}/wire.db", "--rate-limits", "off")
        server.load_world()
        server.start()
        results = {}

        def attempt(test):
            try:
                results[test.__name__] = (True, test(server))
            except Exception as error:
                results[test.__name__] = (False, f"{type(error).__name__}: {error}")
        try:
            slow = [threading.Thread(target=attempt, args=(test,)) for test in SLOW]
            for thread in slow:
                thread.start()
            for test in QUICK:
                attempt(test)
            for thread in slow:
                thread.join()
            for name, (passed, outcome) in results.items():
                print(f"wire {name.replace('_', ' ')}: {outcome}")
            check(all(passed for passed, _ in results.values()), "a test failed")
            check(server.panics() == 0, "the server panicked")
            check(server.client().get("/repos/acme/work/git/ref/heads/main").status == 200, "the server does not respond")
        finally:
            server.kill()
