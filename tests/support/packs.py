"""Builds Git packs and requests of Git clients by hand, also such as no Git would."""

import base64
import hashlib
import struct
import zlib

COMMIT, TREE, BLOB, TAG, OFFSET_DELTA, NAMED_DELTA = 1, 2, 3, 4, 6, 7
NAMES = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}
NOTHING = "0" * 40
IDENT = b"A <a@b.c> 1700000000 +0000"


def name(kind, content):
    """The name of an object, in hexadecimal."""
    return hashlib.sha1(NAMES[kind] + b" %d\0" % len(content) + content).hexdigest()


def tree(*entries):
    """A tree of (mode, name, object) entries, which are in order already."""
    return b"".join(mode + b" " + file + b"\0" + bytes.fromhex(sha) for mode, file, sha in entries)


def commit(root, message=b"x", parents=(), headers=b""):
    lines = [b"tree " + root.encode(), *(b"parent " + parent.encode() for parent in parents)]
    lines += [b"author " + IDENT, b"committer " + IDENT]
    return b"\n".join(lines) + b"\n" + headers + b"\n" + message


def size(kind, length):
    """The header of an entry."""
    byte, length = kind << 4 | length & 15, length >> 4
    header = bytearray()
    while length:
        header.append(byte | 128)
        byte, length = length & 127, length >> 7
    header.append(byte)
    return bytes(header)


def entry(kind, content, compressed=None):
    return size(kind, len(content)) + (compressed or zlib.compress(content, 9))


def delta_on(base, delta):
    """An entry that is a delta of a named object."""
    return size(NAMED_DELTA, len(delta)) + bytes.fromhex(base) + zlib.compress(delta, 9)


def varint(number):
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def copying_delta(length, added):
    """A delta that copies all of its base, and adds a few bytes."""
    commands, start = bytearray(), 0
    while start < length:
        piece = min(0xFFFFFF, length - start)
        commands += b"\xff" + struct.pack("<I", start) + struct.pack("<I", piece)[:3]
        start += piece
    commands += bytes([len(added)]) + added
    return varint(length) + varint(length + len(added)) + bytes(commands)


def pack(entries, count=None):
    body = struct.pack(">4sII", b"PACK", 2, count or len(entries)) + b"".join(entries)
    return body + hashlib.sha1(body).digest()


def line(data):
    return b"%04x" % (len(data) + 4) + data


def push(reference, new, packed, old=NOTHING):
    """The body of a push."""
    command = f"{old} {new} {reference}\0 report-status".encode()
    return line(command) + b"0000" + packed


def basic(token):
    """The Authorization header of a Git client."""
    return "Basic " + base64.b64encode(f"x:{token}".encode()).decode()


def many(count, message=b"many"):
    """A pack of as many tiny files, in folders of a thousand, and the name of its commit."""
    entries, files, folders = [], [], []
    for number in range(count):
        content = b"%d" % number
        entries.append(entry(BLOB, content, zlib.compress(content, 0)))
        files.append(name(BLOB, content))
    for start in range(0, count, 1000):
        named = enumerate(files[start:start + 1000])
        content = tree(*((b"100644", b"%06d" % (start + at), sha) for at, sha in named))
        entries.append(entry(TREE, content))
        folders.append((b"40000", b"%06d" % start, name(TREE, content)))
    content = tree(*folders)
    entries.append(entry(TREE, content))
    last = commit(name(TREE, content), message)
    entries.append(entry(COMMIT, last))
    return pack(entries), name(COMMIT, last)
