"""The control functions of the Python package: isolation, clock, journal, faults, deliveries and
snapshots."""

import hashlib
import hmac
import re
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import forgewright
import pytest
from github import Auth, Github, GithubException, UnknownObjectException

#: The timeout of `wait` for what takes long on a busy machine.
PATIENT = 60


def gadgets(world):
    auth = Auth.Token(world.token("alice"))
    github = Github(base_url=world.url, auth=auth, retry=None, seconds_between_requests=0, seconds_between_writes=0)
    return github.get_repo("acme/gadgets")


def branch(world, name):
    repository = gadgets(world)
    return repository.create_git_ref(f"refs/heads/{name}", repository.get_git_ref("heads/main").object.sha)


def failing(message):
    return pytest.raises(forgewright.ForgewrightError, match=message)


def test_worlds_can_be_created_from_every_kind_of_source(forge_session, tmp_path):
    text = "users: [{login: zoe}]\ntokens: [{kind: classic, user: zoe}]\n"
    file = tmp_path / "zoe.yaml"
    file.write_text(text)
    for source in (text, file, str(file), {"users": [{"login": "zoe"}], "tokens": [{"kind": "classic", "user": "zoe"}]}):
        with forge_session.world(source) as world:
            assert Github(base_url=world.url, auth=Auth.Token(world.token("zoe"))).get_user().login == "zoe"
    with forge_session.world(name="first") as first:
        branch(first, "news")
        with forge_session.world(copy_of=first) as copy:
            assert gadgets(copy).get_git_ref("heads/news").ref == "refs/heads/news"
        assert "PRIVATE KEY" in first.app("ci-bot").private_key
    with forge_session.world(template="empty") as empty:
        assert empty.contents()["accounts"] == []
    first.delete()
    assert "first" not in [world["name"] for world in forge_session.worlds()]


def test_an_error_of_the_server_is_raised_with_its_message(forge, forge_session):
    with failing(r"(?s)file:\d+:\d+: .*did you mean `login`.*422"):
        forge_session.world({"users": [{"logn": "zoe"}]})
    with failing("lower-case letters") as error:
        forge_session.world(name="Not a name")
    assert error.value.status == 422
    with failing("only one of"):
        forge_session.world(template="demo", copy_of="main")
    with failing("cannot read the world file missing.yaml"):
        forge_session.world("missing.yaml")
    with failing("never"):
        forge.snapshots.restore("never")
    with failing("422"):
        forge.faults.add("status", status=200)
    with failing("X-GitHub-Request-Id"):
        forge.journal.explain(object())
    with failing("call stop"):
        forge_session.delete()
    with failing("does not respond"):
        forgewright.connect("http://127.0.0.1:9")


def test_each_world_has_its_own_clock(forge, forge_session):
    state = forge.clock.freeze(datetime(2030, 1, 1, tzinfo=timezone.utc))
    assert (state["now"], state["frozen"]) == ("2030-01-01T00:00:00Z", True)
    assert forge.clock.advance(hours=1, minutes=30)["now"] == "2030-01-01T01:30:00Z"
    assert forge.clock.advance(timedelta(minutes=-1))["now"] == "2030-01-01T01:29:00Z"
    assert forge.clock.advance(60)["now"] == "2030-01-01T01:30:00Z"
    assert forge.clock.unfreeze()["frozen"] is False
    assert forge.clock.set("2031-01-01T00:00:00Z")["now"].startswith("2031")
    assert forge_session.clock.get()["offset"] == 0
    assert forge.clock.release()["offset"] == 0


def test_the_journal_lists_requests_waits_for_them_and_explains_them(forge):
    later = threading.Timer(0.2, branch, (forge, "journal"))
    later.start()
    entry = forge.journal.wait(operation="create_ref", status=201, timeout=PATIENT)
    later.join()
    assert (entry["method"], entry["caller"]["login"]) == ("POST", "alice")
    assert forge.journal.get(entry["request_id"])["id"] == entry["id"]
    dave = Github(base_url=forge.url, auth=Auth.Token(forge.token("dave")), retry=None)
    with pytest.raises(UnknownObjectException) as hidden:
        dave.get_repo("acme/widgets")
    explanation = forge.journal.explain(hidden.value)
    assert "acme/widgets" in explanation["line"] and explanation["steps"][-1]["advice"]
    forge.journal.clear()
    assert forge.journal.list() == []
    gadgets(forge)
    with failing(r"(?s)no request matched {'status': 418} within 0.1 s; .*GET /repos/acme/gadgets"):
        forge.journal.wait(status=418, timeout=0.1)
    assert forge.journal.wait(timeout=0)["operation"] == "get_repository"


def test_a_mistyped_filter_is_rejected(forge):
    for part in (forge.journal, forge.deliveries):
        for function in (part.list, part.wait):
            with pytest.raises(TypeError, match="opertion"):
                function(opertion="create_ref")


def test_wait_ends_although_the_server_still_waits():
    waits = []

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self):
            wait = re.search(r"wait=(\d+)", self.path)
            if wait:
                # The client must close the connection.
                waits.append(wait[1])
                self.rfile.read()
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"tokens": [], "apps": []}' if "/contents" in self.path else b"[]")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        forge = forgewright.connect(f"http://127.0.0.1:{server.server_port}")
        with failing("within 0.1 s; there are none at all"):
            forge.journal.wait(timeout=0.1)
        with failing("within 4.0 s; there are none at all"):
            forge.deliveries.wait()
        server.shutdown()
    assert waits == ["1", "4"]


def test_a_mistaken_argument_is_explained(forge):
    def rejected(message, function, *arguments, **options):
        with pytest.raises(TypeError, match=message):
            function(*arguments, **options)

    advance = forge.clock.advance
    rejected("expected a number of seconds, a timedelta, or units such as hours=1, not '1h'", advance, "1h")
    rejected("unknown unit `hour`; use one of: weeks, days, hours, minutes, seconds", advance, hour=1)
    rejected("`hours` must be a number, not '1'", advance, hours="1")
    rejected('use event="pull_request", action="opened"', forge.deliveries.wait, event="pull_request.opened")


def test_a_fault_makes_a_limited_number_of_requests_fail(forge):
    fault = forge.faults.add("status", operation="create_ref", status=502, times=1)
    with pytest.raises(GithubException) as failed:
        branch(forge, "faulty")
    assert failed.value.status == 502
    branch(forge, "faulty")
    assert forge.faults.get(fault["id"])["used"] == 1
    forge.faults.add("drop")
    assert len(forge.faults.list()) == 2
    forge.faults.delete(fault["id"])
    forge.faults.clear()
    assert forge.faults.list() == []


@pytest.fixture
def receiver():
    """A webhook receiver: its port, and the events that it received."""
    received = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            signature = "sha256=" + hmac.new(b"hush", body, hashlib.sha256).hexdigest()
            received.append((self.headers["X-GitHub-Event"], self.headers["X-Hub-Signature-256"] == signature))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"thanks")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, received
        server.shutdown()


def hooked(port):
    files = {"README.md": "Hello\n"}
    commits = {"commits": [{"id": "first", "message": "Begin", "files": files}], "refs": {"refs/heads/main": "first"}}
    app = {"slug": "helper", "name": "Helper", "owner": "acme", "permissions": {"contents": "read"}, "events": ["create"]}
    return {
        "users": [{"login": "alice"}],
        "organizations": [{"login": "acme", "members": [{"login": "alice", "role": "admin"}]}],
        "repositories": [{"full_name": "acme/gadgets", "git": commits}],
        "apps": [{**app, "webhook": {"url": f"http://127.0.0.1:{port}/", "secret": "hush"}}],
        "installations": [{"app": "helper", "account": "acme"}],
        "tokens": [{"kind": "classic", "user": "alice", "scopes": ["repo"]}],
    }


def test_deliveries_can_be_listed_awaited_paused_and_redelivered(forge_session, receiver):
    port, received = receiver
    with forge_session.world(hooked(port)) as world:
        world.deliveries.pause()
        branch(world, "hooks")
        assert (world.deliveries.wait(event="create")["status"], received) == ("pending", [])
        world.deliveries.resume()
        delivered = world.deliveries.wait(event="create", status="delivered", timeout=PATIENT)
        assert (delivered["response"]["body"], delivered["request"]["payload"]["ref"]) == ("thanks", "hooks")
        assert world.deliveries.redeliver(delivered)["guid"] == delivered["guid"]
        world.deliveries.wait(event="create", status="delivered", after=delivered["id"], timeout=PATIENT)
        assert received == [("create", True), ("create", True)]
        assert world.deliveries.get(delivered["id"])["id"] == delivered["id"]
        assert world.deliveries.list(event="push") == []
        with failing(r"(?s)no delivery matched .*create to helper: delivered"):
            world.deliveries.wait(event="delete", timeout=0.1)


def test_a_world_can_be_restored_to_a_snapshot_and_reset_to_its_initial_state(forge):
    kept = branch(forge, "kept")
    forge.snapshots.make("with-branch")
    kept.delete()
    forge.snapshots.restore("with-branch")
    assert gadgets(forge).get_git_ref("heads/kept").ref == "refs/heads/kept"
    assert "with-branch" in [snapshot["name"] for snapshot in forge.snapshots.list()]
    forge.snapshots.delete("with-branch")
    forge.reset()
    with pytest.raises(UnknownObjectException):
        gadgets(forge).get_git_ref("heads/kept")


def test_connect_uses_a_running_server_and_leaves_it_running(forge_session):
    with forgewright.connect(forge_session.url) as other:
        assert other.token("alice") == forge_session.token("alice")
        with other.world() as world:
            assert gadgets(world).default_branch == "main"
    assert forge_session.clock.get()["offset"] == 0


def test_connect_finds_all_tokens():
    users = [{"login": f"user-{number}"} for number in range(101)]
    tokens = [{"kind": "classic", "user": user["login"]} for user in users]
    with forgewright.start({"users": users, "tokens": tokens}) as server, forgewright.connect(server.url) as other:
        assert sorted(token.value for token in other.tokens) == sorted(token.value for token in server.tokens)
        assert len(other.tokens) == 101


def test_a_public_server_with_https_is_controlled_with_a_token():
    with forgewright.start(listen="0.0.0.0:0", args=["--tls-dev", "--allow-demo-tokens"]) as secure:
        assert secure.url.startswith("https:")
        with secure.world() as world:
            assert world.clock.get()["offset"] == 0
