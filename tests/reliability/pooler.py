"""A minimal connection pooler for PostgreSQL: clients stay connected while the database restarts,
except those with prepared statements, which a restart discards."""

import socket
import struct
import threading

READY = b"Z"
PARSE = b"P"


class Pooler:
    """Listens on its own port and forwards messages. The database must use trust authentication
    without encryption."""

    def __init__(self, port):
        self.database = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.survivors = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Session(self, client).run()
        except (OSError, EOFError):
            client.close()

    def close(self):
        self.listener.close()


class Session:
    """A client and its current connection to the database."""

    def __init__(self, pooler, client):
        self.pooler, self.client = pooler, client
        self.prepared = False
        self.startup = exactly(client, struct.unpack("!I", peek(client))[0])

    def run(self):
        self.connect(self.client.sendall)
        while True:
            letter, rest = message(self.client)
            self.prepared |= letter == PARSE and not rest.startswith(b"\0")
            try:
                self.database.sendall(framed(letter, rest))
            except OSError:
                self.reconnect()
                self.database.sendall(framed(letter, rest))

    def connect(self, forward):
        """Connects to the database and forwards its startup messages."""
        database = socket.create_connection(("127.0.0.1", self.pooler.database))
        database.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        database.sendall(self.startup)
        letter = None
        while letter != READY:
            letter, rest = message(database)
            forward(framed(letter, rest))
        self.database = database
        threading.Thread(target=self.forward_responses, args=(database,), daemon=True).start()

    def forward_responses(self, database):
        try:
            while True:
                self.client.sendall(framed(*message(database)))
        except (OSError, EOFError):
            database.close()
            if self.prepared:
                self.client.close()

    def reconnect(self):
        """Connects again after the database closed the connection."""
        self.connect(lambda _: None)
        self.pooler.survivors += 1


def peek(connection):
    data = connection.recv(4, socket.MSG_PEEK | socket.MSG_WAITALL)
    if len(data) < 4:
        raise EOFError
    return data


def exactly(connection, length):
    data = bytearray()
    while len(data) < length:
        part = connection.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def message(connection):
    """Reads a message: its type letter and its payload."""
    letter, length = struct.unpack("!cI", exactly(connection, 5))
    return letter, exactly(connection, length - 4)


def framed(letter, rest):
    return letter + struct.pack("!I", len(rest) + 4) + rest
