"""The wheel, installed apart from the source tree."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import forgewright
import pytest
from github import Auth, Github

WORLD = {
    "users": [{"login": "alice"}, {"login": "bob"}],
    "tokens": [
        {"kind": "classic", "user": "alice", "value": "alice-of-the-kit"},
        {"kind": "classic", "user": "bob"},
    ],
}


def is_gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_test_has_a_server_of_its_own(forge, forge_session):
    assert forge.url != forge_session.url
    github = Github(base_url=forge.url, auth=Auth.Token(forge.token("alice")))
    assert github.get_repo("acme/gadgets").default_branch == "main"
    key = forge.apps[0].private_key_file
    assert "PRIVATE KEY" in Path(key).read_text()


def test_the_session_shares_one(forge_session, request):
    assert request.getfixturevalue("forge_session") is forge_session


def test_a_world_may_be_a_dictionary_and_stops():
    with forgewright.start(WORLD) as forge:
        assert forge.token("alice") == "alice-of-the-kit"
        assert Github(base_url=forge.url, auth=Auth.Token(forge.token("bob"))).get_user().login == "bob"
        with pytest.raises(forgewright.ForgewrightError, match="there are tokens of alice, bob"):
            forge.token("carol")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(forge.url, timeout=5)


def script(folder, text):
    path = folder / "forgewright"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def refused(said, **options):
    with pytest.raises(forgewright.ForgewrightError, match=said):
        forgewright.start(**options)


def test_what_cannot_be_started_says_what_to_do(tmp_path):
    refused("logn", world={"users": [{"logn": "alice"}]})
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused("choose another with --listen", listen=f"127.0.0.1:{taken.getsockname()[1]}")
    refused("name another in `folder`", folder="/proc/nowhere")
    refused("another processor or needs glibc", binary="/nowhere/forgewright")
    refused("has version 0.0.1, but this package has", binary=script(tmp_path, "echo forgewright 0.0.1"))
    refused("newer glibc", binary=script(tmp_path, "echo \"version \\`GLIBC_2.99' not found\" >&2; exit 1"))
    version = forgewright.__version__
    silent = script(tmp_path, f'[ "$1" = --version ] && echo forgewright {version} || exec sleep 60')
    refused("did not start within 0.5 s", binary=silent, timeout=0.5)


def test_a_server_ends_when_its_runner_is_killed():
    program = (
        "import forgewright, os, sys, time; forge = forgewright.start();"
        "print(open(f'/proc/self/task/{os.getpid()}/children').read().split()[-1], flush=True); time.sleep(60)"
    )
    runner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    server = int(runner.stdout.readline())
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert is_gone(server)
