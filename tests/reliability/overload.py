"""Two thousand connections at once, twice the limit. The server serves as many as the limit allows,
rejects the others at once, keeps its memory bounded, and recovers."""

import json
import selectors
import socket
import tempfile
import time

from harness import ALICE, Server, check, percentile, until

CONNECTIONS = 2000
PLACES = 1000
REQUEST = (f"GET /repos/acme/work/git/ref/heads/main HTTP/1.1\r\nHost: localhost\r\n"
           f"Authorization: Bearer {ALICE}\r\n\r\n").encode()


class Peer:
    def __init__(self, port):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))
        self.started, self.answered, self.received = time.monotonic(), None, b""
        self.asked = False

    def status(self):
        return int(self.received.split(b" ")[1]) if self.answered else None


def drive(peers, seconds):
    """Sends a request on each connection and reads its response."""
    selector = selectors.DefaultSelector()
    for peer in peers:
        selector.register(peer.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, peer)
    waiting = len(peers)
    end = time.monotonic() + seconds
    while waiting and time.monotonic() < end:
        for key, events in selector.select(0.5):
            peer = key.data
            try:
                if events & selectors.EVENT_WRITE and not peer.asked:
                    peer.socket.send(REQUEST)
                    peer.asked = True
                    selector.modify(peer.socket, selectors.EVENT_READ, peer)
                if events & selectors.EVENT_READ:
                    chunk = peer.socket.recv(65536)
                    peer.received += chunk
                    if complete(peer.received) or not chunk:
                        peer.answered = time.monotonic() if complete(peer.received) else None
                        selector.unregister(peer.socket)
                        waiting -= 1
            except OSError:
                selector.unregister(peer.socket)
                waiting -= 1


def check_while_full(server):
    """Checks that new connections get 503 at once while the server is at its limit."""
    times = []
    for _ in range(50):
        late = server.client(ALICE, 10)
        response = late.get("/repos/acme/work/git/ref/heads/main")
        check(response.status == 503 and response.has_standard_error_body(), f"a late client gets {response.status}")
        times.append(response.seconds)
    check(percentile(times, 0.9) < 0.5, f"a 503 takes {percentile(times, 0.9):.2f} s")
    return times


def complete(received):
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        return False
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(lengths) and len(body) >= int(lengths[0].split(b":")[1])


def run(options):
    with tempfile.TemporaryDirectory(prefix="forgewright-overload.") as folder:
        server = Server(folder, f"sqlite://{folder}/overload.db", "--rate-limits", "off", "--max-clients", str(PLACES))
        server.load_world()
        server.start()
        try:
            before = server.memory_kib()
            peers = [Peer(server.port) for _ in range(CONNECTIONS)]
            drive(peers, 60)
            peak = server.memory_kib()
            served = [peer for peer in peers if peer.status() == 200]
            refused = [peer for peer in peers if peer.status() == 503]
            dropped = len(peers) - len(served) - len(refused)
            for peer in refused:
                body = json.loads(peer.received.partition(b"\r\n\r\n")[2])
                check(body["status"] == "503" and b"retry-after" in peer.received.lower(), f"wrong error: {body}")
            check(len(served) == PLACES, f"{len(served)} were served, not {PLACES}")
            check(len(refused) >= (CONNECTIONS - PLACES) * 0.9, f"{len(refused)} got 503, {dropped} were dropped")
            times = check_while_full(server)
            check(peak - before < 300_000, f"memory grew by {peak - before} KiB")
            for peer in peers:
                peer.socket.close()
            recovery = until(10, lambda: server.client().get("/repos/acme/work/git/ref/heads/main").status == 200,
                             "recovery")
            until(10, lambda: server.descriptors() < 100, "closing of descriptors")
            check(server.panics() == 0, "the server panicked")
            print(f"overload: {CONNECTIONS} connections, {len(served)} served, {len(refused)} rejected with 503 "
                  f"and {dropped} closed without a response; at the limit a 503 takes "
                  f"{percentile(times, 0.5) * 1000:.1f} ms (99 %: {percentile(times, 0.99) * 1000:.1f} ms); memory {before // 1024} to {peak // 1024} MiB, "
                  f"recovered after {recovery:.2f} s")
        finally:
            server.kill()
