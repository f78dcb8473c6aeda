"""`gh` with GH_HOST=github.localhost: it sends requests to http://api.github.localhost/ on port 80,
without TLS. Runs in its own network namespace (see `run`) with its own hosts file."""

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


def set_up_network(folder):
    """Enables the loopback interface and maps the host names of gh to it."""
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
        set_up_network(cls.folder.name)
        cls.server = Server(cls.folder.name, "--data-dir", f"{cls.folder.name}/data", port=80)
        cls.server.start()
        cls.addClassCleanup(cls.server.kill, signal.SIGTERM)

    def succeeds(self, *command, stderr=subprocess.PIPE):
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder.name, "GH_HOST": "github.localhost",
            "GH_TOKEN": "ghp_demo_alice_admin", "GH_ENTERPRISE_TOKEN": "ghp_demo_alice_admin",
            "GH_NO_UPDATE_NOTIFIER": "1", "GIT_TERMINAL_PROMPT": "0",
        }
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=60, env=environment)
        self.assertEqual(result.returncode, 0, result.stdout + (result.stderr or ""))
        return result.stdout

    def test_the_urls_in_responses_have_the_right_hosts(self):
        shown = json.loads(self.succeeds("gh", "api", "repos/acme/gadgets"))
        self.assertEqual(shown["url"], "http://api.github.localhost/repos/acme/gadgets")
        self.assertEqual(shown["html_url"], "http://github.localhost/acme/gadgets")
        self.assertEqual(shown["clone_url"], "http://github.localhost/acme/gadgets.git")

    def test_gh_auth_status_shows_the_user(self):
        output = self.succeeds("gh", "auth", "status", "--hostname", "github.localhost", stderr=subprocess.STDOUT)
        self.assertRegex(output, "Logged in to github.localhost (as|account) alice")

    def test_git_clones_from_the_clone_url(self):
        address = self.succeeds("gh", "api", "repos/acme/gadgets", "--jq", ".clone_url").strip()
        self.succeeds("git", "clone", "--quiet", address, f"{self.folder.name}/gadgets")


if __name__ == "__main__":
    unittest.main()
