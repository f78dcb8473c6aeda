"""`gh` with GH_HOST=github.localhost, for which it asks http://api.github.localhost/, without
TLS on port 80. Run in a network of its own (see `run`), with a hosts file of its own."""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.server import Server  # noqa: E402

MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def mount(source, target, flags):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), None, flags, None):
        raise OSError(ctypes.get_errno(), f"cannot mount {target}")


def own_network(folder):
    """Loopback is up, and the names of gh lead to it."""
    with socket.socket() as probe:
        fcntl.ioctl(probe, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    hosts = Path(folder) / "hosts"
    hosts.write_text("127.0.0.1 localhost github.localhost api.github.localhost\n")
    mount("none", "/", MS_REC | MS_PRIVATE)
    mount(str(hosts), "/etc/hosts", MS_BIND)


class Localhost(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        own_network(cls.folder.name)
        cls.server = Server(cls.folder.name, "--data-dir", f"{cls.folder.name}/data", port=80)
        cls.server.start()
        cls.addClassCleanup(cls.server.kill, signal.SIGTERM)

    def run_alone(self, *command, stderr=subprocess.PIPE):
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder.name, "GH_HOST": "github.localhost",
            "GH_TOKEN": "ghp_demo_alice_admin", "GH_ENTERPRISE_TOKEN": "ghp_demo_alice_admin",
            "GH_NO_UPDATE_NOTIFIER": "1", "GIT_TERMINAL_PROMPT": "0",
        }
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=60, env=environment)
        self.assertEqual(ended.returncode, 0, ended.stdout + (ended.stderr or ""))
        return ended.stdout

    def test_the_api_names_itself_and_the_pages_beside_it(self):
        shown = json.loads(self.run_alone("gh", "api", "repos/acme/gadgets"))
        self.assertEqual(shown["url"], "http://api.github.localhost/repos/acme/gadgets")
        self.assertEqual(shown["html_url"], "http://github.localhost/acme/gadgets")
        self.assertEqual(shown["clone_url"], "http://github.localhost/acme/gadgets.git")

    def test_gh_says_who_is_logged_in(self):
        said = self.run_alone("gh", "auth", "status", "--hostname", "github.localhost", stderr=subprocess.STDOUT)
        self.assertRegex(said, "Logged in to github.localhost (as|account) alice")

    def test_git_clones_from_the_address_that_the_api_shows(self):
        address = self.run_alone("gh", "api", "repos/acme/gadgets", "--jq", ".clone_url").strip()
        self.run_alone("git", "clone", "--quiet", address, f"{self.folder.name}/gadgets")


if __name__ == "__main__":
    unittest.main()
