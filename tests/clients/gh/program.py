"""GitHub's command-line program, `gh api`. It insists on TLS for a host of its own choosing, but
takes a whole address as it is; the token for such a host comes from GH_ENTERPRISE_TOKEN."""

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
        """What it prints, as JSON if it is that."""
        ended = run(path, *arguments, **keywords)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return json.loads(ended.stdout) if ended.stdout else None

    def lines(self, path, *arguments, **keywords):
        ended = run(path, *arguments, **keywords)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout.splitlines()

    def refused(self, sentence, path, *arguments, **keywords):
        ended = run(path, *arguments, **keywords)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn(f"gh: {sentence}", ended.stderr)
