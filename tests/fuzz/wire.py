"""A minimal HTTP/1.1 client that sends arbitrary bytes.

A client library would repair, reject or normalize malformed requests. So this client does
not validate requests, but it parses responses strictly.
"""

import socket

TIMEOUT = 20.0


class ProtocolError(Exception):
    """The response is not HTTP, or there is no response."""


class Response:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name):
        values = [value for key, value in self.headers if key == name.lower()]
        return values[0] if values else None

    def repeated(self):
        """Headers that occur more than once, but must not."""
        names = [key for key, _ in self.headers]
        unique = {"content-type", "content-length", "etag", "location", "link", "date"}
        return sorted(name for name in unique if names.count(name) > 1)


class Connection:
    """A connection that stays open for the next request unless the server closes it."""

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
        """Sends the pieces one by one. Ignores a connection that the server closes early."""
        if self.socket is None:
            self.socket = socket.create_connection(self.address, TIMEOUT)
            self.socket.settimeout(TIMEOUT)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for piece in pieces:
                self.socket.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def finish(self):
        """Closes the sending direction of the connection."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except socket.timeout as error:
            raise ProtocolError(f"no response within {TIMEOUT} s") from error
        except ConnectionResetError as error:
            raise ProtocolError("the connection was reset") from error
        if not piece:
            raise ProtocolError("the connection was closed without a response")
        self.rest += piece

    def read_response(self, method):
        """Reads one response; closes the connection if the response asks for it."""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        if not lines[0].startswith("HTTP/1.") or not lines[0][9:12].isdigit():
            raise ProtocolError(f"no status line: {lines[0]!r}")
        status = int(lines[0][9:12])
        headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon:
                raise ProtocolError(f"invalid header: {line!r}")
            headers.append((name.strip().lower(), value.strip()))
        response = Response(status, headers, b"")
        if status < 200:
            return self.read_response(method)
        if method != "HEAD" and status not in (204, 304):
            response.body = self._body(response)
        if (response.header("connection") or "").lower() == "close":
            self.close()
        return response

    def _body(self, response):
        if (response.header("transfer-encoding") or "").lower() == "chunked":
            return self._chunks()
        length = int(response.header("content-length") or 0)
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
    """The bytes of a request, with `Content-Length` if it has a body."""
    lines = [f"{method} ".encode("latin-1") + target + b" HTTP/1.1"]
    headers = list(headers)
    if not any(name.lower() == b"host" for name, _ in headers):
        headers.insert(0, (b"Host", b"forge.example"))
    if body is not None:
        headers.append((b"Content-Length", str(len(body)).encode()))
    lines += [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")
