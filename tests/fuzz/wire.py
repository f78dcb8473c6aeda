"""HTTP/1.1 by hand: bytes out, answers in.

A client library would repair, refuse or normalise what these tests want to send, so
nothing here knows what a valid request is. Answers, however, are read strictly.
"""

import socket

PATIENCE = 20.0


class Broken(Exception):
    """The answer is no HTTP, or there is none."""


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name):
        values = [value for key, value in self.headers if key == name.lower()]
        return values[0] if values else None

    def repeated(self):
        """Headers that may stand once only, and stand more than once."""
        names = [key for key, _ in self.headers]
        once = {"content-type", "content-length", "etag", "location", "link", "date"}
        return sorted(name for name in once if names.count(name) > 1)


class Connection:
    """One socket, kept open for the next request as long as the server allows."""

    def __init__(self, host, port):
        self.address = (host, port)
        self.socket = None
        self.rest = b""

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None
        self.rest = b""

    def send(self, *pieces):
        """Sends the pieces one by one; a server that hangs up early is no failure yet."""
        if self.socket is None:
            self.socket = socket.create_connection(self.address, PATIENCE)
            self.socket.settimeout(PATIENCE)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for piece in pieces:
                self.socket.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def finish(self):
        """Tells the server that nothing more will come."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except socket.timeout as error:
            raise Broken(f"no answer within {PATIENCE} s") from error
        except ConnectionResetError as error:
            raise Broken("the connection was reset") from error
        if not piece:
            raise Broken("the connection was closed without an answer")
        self.rest += piece

    def answer(self, method):
        """Reads one answer; closes the connection when the server says so."""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        if not lines[0].startswith("HTTP/1.") or not lines[0][9:12].isdigit():
            raise Broken(f"no status line: {lines[0]!r}")
        status = int(lines[0][9:12])
        headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon:
                raise Broken(f"no header: {line!r}")
            headers.append((name.strip().lower(), value.strip()))
        answer = Answer(status, headers, b"")
        if status < 200:
            return self.answer(method)
        if method != "HEAD" and status not in (204, 304):
            answer.body = self._body(answer)
        if (answer.header("connection") or "").lower() == "close":
            self.close()
        return answer

    def _body(self, answer):
        if (answer.header("transfer-encoding") or "").lower() == "chunked":
            return self._chunks()
        length = int(answer.header("content-length") or 0)
        while len(self.rest) < length:
            self._more()
        body, self.rest = self.rest[:length], self.rest[length:]
        return body

    def _chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.rest:
                self._more()
            size, self.rest = self.rest.split(b"\r\n", 1)
            length = int(size.split(b";")[0], 16)
            while len(self.rest) < length + 2:
                self._more()
            body += self.rest[:length]
            self.rest = self.rest[length + 2 :]
            if length == 0:
                return body


def request(method, target, headers=(), body=None):
    """The bytes of a request; `Content-Length` is added where a body is given."""
    lines = [f"{method} ".encode("latin-1") + target + b" HTTP/1.1"]
    headers = list(headers)
    if not any(name.lower() == b"host" for name, _ in headers):
        headers.insert(0, (b"Host", b"forge.example"))
    if body is not None:
        headers.append((b"Content-Length", str(len(body)).encode()))
    lines += [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")
