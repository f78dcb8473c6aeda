"""A bot without a framework: an HTTP server that checks the signature of each webhook. It opens a pull
request for a new branch, reviews it, and answers comments."""

import hashlib
import hmac
import json
import re
from http.server import BaseHTTPRequestHandler

from github import Auth, GithubIntegration


def todos(file):
    """A comment for each line with a TODO that a file of a pull request adds."""
    line = 0
    for text in (file.patch or "").split("\n"):
        if hunk := re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", text):
            line = int(hunk[1])
        elif not text.startswith("-"):
            if re.match(r"\+.*TODO", text):
                yield {"path": file.filename, "line": line, "body": "When will this be done?"}
            line += 1


def on_push(repository, event):
    head, base = event["ref"].removeprefix("refs/heads/"), event["repository"]["default_branch"]
    if event["created"] and head not in (event["ref"], base):
        title = event["head_commit"]["message"].split("\n")[0]
        repository.create_pull(title=title, head=head, base=base)


def on_pull_request(repository, event):
    if event["action"] in ("opened", "synchronize"):
        pull = repository.get_pull(event["number"])
        comments = [comment for file in pull.get_files() for comment in todos(file)]
        if comments:
            body = f"There is something left to do in {len(comments)} place(s)."
            pull.create_review(body=body, event="COMMENT", comments=comments)


def on_comment(repository, event):
    if event["action"] == "created" and event["sender"]["type"] != "Bot":
        pull = repository.get_pull(event["pull_request"]["number"])
        # Replies belong to the first comment of a thread.
        thread = event["comment"].get("in_reply_to_id") or event["comment"]["id"]
        pull.create_review_comment_reply(thread, f"Thank you, @{event['sender']['login']}.")


HANDLERS = {"push": on_push, "pull_request": on_pull_request, "pull_request_review_comment": on_comment}


def handler(base_url, app_id, key, secret):
    """The class of the handler for `http.server`."""
    app = GithubIntegration(auth=Auth.AppAuth(app_id, key), base_url=base_url)

    class Webhooks(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            signature = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
            known = hmac.compare_digest(signature, self.headers["X-Hub-Signature-256"])
            self.send_response(202 if known else 400)
            self.end_headers()
            handle = HANDLERS.get(self.headers["X-GitHub-Event"])
            if known and handle:
                event = json.loads(body)
                forge = app.get_github_for_installation(event["installation"]["id"])
                handle(forge.get_repo(event["repository"]["full_name"]), event)

        def log_message(self, *_):
            pass

    return Webhooks
