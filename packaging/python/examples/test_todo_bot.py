"""Tests a bot as it runs in production: the server sends it webhooks, and the test acts as a user with
`git` and PyGithub."""

import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import forgewright
import pytest
from github import Auth, Github

import todo_bot

#: The timeout of `wait` for what takes long on a busy machine.
PATIENT = 60


def robots(port):
    """The world of the test."""
    commits = [{"id": "first", "message": "Begin", "files": {"README.md": "# Robots\n"}}]
    app = {
        "slug": "todo-bot",
        "name": "To-do bot",
        "owner": "acme",
        "generate_key": "todo-bot.pem",
        "permissions": {"contents": "read", "pull_requests": "write"},
        "events": ["push", "pull_request", "pull_request_review_comment"],
        "webhook": {"url": f"http://127.0.0.1:{port}/", "secret": "hush"},
    }
    return {
        "users": [{"login": "alice"}],
        "organizations": [{"login": "acme", "members": [{"login": "alice", "role": "admin"}]}],
        "repositories": [{"full_name": "acme/robots", "git": {"commits": commits, "refs": {"refs/heads/main": "first"}}}],
        "apps": [app],
        "installations": [{"app": "todo-bot", "account": "acme"}],
        "tokens": [{"kind": "classic", "user": "alice", "scopes": ["repo"]}],
    }


@pytest.fixture
def robots_forge():
    """A server with the world, which sends its webhooks to the bot."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as bot:
        with forgewright.start(robots(bot.server_port)) as forge:
            app = forge.app("todo-bot")
            bot.RequestHandlerClass = todo_bot.handler(forge.url, app.id, app.private_key, b"hush")
            threading.Thread(target=bot.serve_forever, daemon=True).start()
            yield forge
            bot.shutdown()


def test_the_bot_opens_a_pull_request_reviews_it_and_answers(robots_forge, tmp_path):
    forge = robots_forge

    def git(*words):
        alice = ["-c", "user.name=Alice", "-c", "user.email=alice@example.com"]
        subprocess.run(["git", "-C", tmp_path, *alice, *words], check=True, capture_output=True)

    git("clone", "--quiet", forge.url.replace("//", f"//alice:{forge.token('alice')}@") + "/acme/robots.git", ".")
    git("switch", "--quiet", "--create", "arms")
    (tmp_path / "README.md").write_text("# Robots\n\nTODO: arms\n")
    git("commit", "--quiet", "--all", "--message", "Describe the arms")
    git("push", "--quiet", "origin", "arms")

    forge.journal.wait(operation="create_review", status=200, timeout=PATIENT)
    github = Github(base_url=forge.url, auth=Auth.Token(forge.token("alice")))
    pull = github.get_repo("acme/robots").get_pull(1)
    assert (pull.title, pull.user.login) == ("Describe the arms", "todo-bot[bot]")
    question = pull.get_review_comments()[0]
    assert (question.path, question.line) == ("README.md", 3)

    pull.create_review_comment_reply(question.id, "Tomorrow.")
    forge.journal.wait(operation="reply_to_review_comment", caller="todo-bot", timeout=PATIENT)
    assert pull.get_review_comments()[2].body == "Thank you, @alice."
