"""The Python package, installed outside the source tree."""

import gc
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
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


def test_a_test_has_its_own_world(forge, forge_session):
    assert forge.url.startswith(f"{forge_session.url}/_worlds/")
    assert forge.name in [world["name"] for world in forge_session.worlds()]
    github = Github(base_url=forge.url, auth=Auth.Token(forge.token("alice")))
    assert github.get_repo("acme/gadgets").default_branch == "main"
    app = forge.app("ci-bot")
    assert app.private_key == Path(app.private_key_file).read_text()


def test_worlds_of_other_tests_are_deleted(forge_session):
    assert [world["name"] for world in forge_session.worlds()] == ["main"]


def test_a_world_can_be_a_dictionary_and_the_server_stops():
    with forgewright.start(WORLD) as forge:
        assert forge.token("alice") == "alice-of-the-kit"
        assert Github(base_url=forge.url, auth=Auth.Token(forge.token("bob"))).get_user().login == "bob"
        with pytest.raises(forgewright.ForgewrightError, match="it has tokens of: alice, bob"):
            forge.token("carol")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(forge.url, timeout=5)


def test_a_server_runs_as_long_as_one_of_its_worlds_is_in_use():
    world = forgewright.start(WORLD).world()
    gc.collect()
    assert world.clock.get()["offset"] == 0
    url = world.url
    del world
    gc.collect()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)


def script(folder, text, interpreter="/bin/sh"):
    """A script. With a missing interpreter it fails with the same error as a binary without its loader."""
    path = folder / "forgewright"
    path.write_text(f"#!{interpreter}\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def refused(message, **options):
    """Expects that a start fails with a message and leaves no process and no file behind."""
    before = children()
    with tempfile.TemporaryDirectory() as parent:
        with pytest.raises(forgewright.ForgewrightError, match=message):
            forgewright.start(**{"folder": parent, **options})
        assert (children(), os.listdir(parent)) == (before, [])


def test_a_failed_start_says_what_to_do(tmp_path):
    refused("logn", world={"users": [{"logn": "alice"}]})
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused("choose another address with --listen", listen=f"127.0.0.1:{taken.getsockname()[1]}")
    refused("choose another parent with `folder`", folder="/proc/nowhere")
    refused("choose another parent with `folder`", folder="/proc")
    refused("missing.yaml", world="missing.yaml")
    refused("no binary at .*correct the argument `binary`", binary="/nowhere/forgewright")
    refused("another processor or needs glibc", binary=script(tmp_path, "exit", "/lib/ld-missing.so"))
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x02\0\xfe\xff".ljust(48, b"\0"))
    foreign.chmod(0o755)
    refused("another processor or needs glibc", binary=str(foreign))
    refused("has version 0.0.1, but this package has", binary=script(tmp_path, "echo forgewright 0.0.1"))
    refused("newer glibc", binary=script(tmp_path, "echo \"version \\`GLIBC_2.99' not found\" >&2; exit 1"))
    version = forgewright.__version__
    silent = script(tmp_path, f'[ "$1" = --version ] && echo forgewright {version} || exec sleep 60')
    refused("did not start within 0.5 s", binary=silent, timeout=0.5)


def test_the_error_for_a_missing_binary_lists_the_searched_folders(monkeypatch):
    monkeypatch.delenv("FORGEWRIGHT_BINARY", raising=False)
    monkeypatch.setattr(forgewright._binary.sysconfig, "get_config_var", lambda name: ".missing")
    refused("was not found in .*reinstall the package")


def test_a_server_exits_when_its_runner_is_killed():
    program = (
        "import forgewright, os, sys, time; forge = forgewright.start();"
        "print(open(f'/proc/self/task/{os.getpid()}/children').read().split()[-1], flush=True); time.sleep(60)"
    )
    runner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    server = int(runner.stdout.readline())
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert is_gone(server)


STUCK = """
import pathlib, time

def test_never_ends(forge):
    pathlib.Path("started").write_text(forge.url)
    time.sleep(3600)
"""


def descendants(pid):
    """All descendants of a process."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [process for child in children for process in (int(child), *descendants(child))]


def is_server(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text() == "forgewright\n"
    except OSError:
        return False


@pytest.mark.parametrize("words", [[], ["-n2"], ["-n2", "-oforgewright_one_server=true"]], ids=" ".join)
def test_a_server_exits_when_pytest_is_killed(words, tmp_path):
    (tmp_path / "test_stuck.py").write_text(STUCK)
    log = tmp_path / "log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "pytest", *words]
        runner = subprocess.Popen(command, cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT)
    try:
        for _ in range(300):
            if (tmp_path / "started").exists() or runner.poll() is not None:
                break
            time.sleep(0.1)
        servers = list(filter(is_server, descendants(runner.pid)))
        assert servers, log.read_text()
    finally:
        runner.kill()
        runner.wait()
    assert all(map(is_gone, servers))
