"""Runs `gh api`, GitHub's command-line client. It requires TLS for a configured host, but accepts
any full URL; it takes the token for such a URL from GH_ENTERPRISE_TOKEN."""

import json
import os
import subprocess
import tempfile
import unittest

API = os.environ["FORGEWRIGHT_URL"]
HOME = tempfile.mkdtemp(dir=os.path.dirname(os.environ["CLIENT_KEY"]))
GADGETS = "/repos/acme/gadgets"


def run(path, *arguments, token="alice-classic", body=None):
    command = ["gh", "api", API + path, *arguments]
    if body is not None:
        command += ["--input", "-"]
    return subprocess.run(
        command,
        input=None if body is None else json.dumps(body),
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": HOME, "GH_ENTERPRISE_TOKEN": token, "GH_NO_UPDATE_NOTIFIER": "1"},
    )


class Program(unittest.TestCase):
    def gh(self, path, *arguments, **keywords):
        """The parsed JSON that it prints; None if it prints nothing."""
        result = run(path, *arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(result.stdout) if result.stdout else None

    def lines(self, path, *arguments, **keywords):
        result = run(path, *arguments, **keywords)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout.splitlines()

    def refused(self, message, path, *arguments, **keywords):
        result = run(path, *arguments, **keywords)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"gh: {message}", result.stderr)
