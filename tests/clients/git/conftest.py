"""The server's URL, and `git`, which verifies the results of the other clients."""

import os
import subprocess

import pytest

URL = os.environ["FORGEWRIGHT_URL"]
TOKEN = "alice-classic"


def git(folder, *arguments):
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
    }
    result = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return result.stdout.strip()


@pytest.fixture
def fresh(tmp_path):
    """Clones with git, checks every object, and returns the tip of a branch."""

    def clone(repository, branch):
        folder = tmp_path / f"check-{branch.replace('/', '-')}"
        address = URL.replace("://", f"://x-access-token:{TOKEN}@")
        git(tmp_path, "clone", "--quiet", "--mirror", f"{address}/{repository}.git", folder)
        git(folder, "fsck", "--strict")
        return git(folder, "rev-parse", f"refs/heads/{branch}")

    return clone
