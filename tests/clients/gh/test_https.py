"""`gh` with GH_HOST, and Git, over HTTPS with the certificate of --tls-dev."""

import json
import os
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

URL = os.environ["FORGEWRIGHT_URL"].replace("127.0.0.1", "localhost")
HOST = URL.removeprefix("https://")
AUTHORITY = os.path.join(os.environ["FORGEWRIGHT_DATA_DIR"], "tls", "authority.pem")
HOME = tempfile.mkdtemp(dir=os.path.dirname(os.environ["CLIENT_KEY"]))
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": HOME,
    "GH_HOST": HOST,
    "GH_ENTERPRISE_TOKEN": "alice-classic",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "SSL_CERT_FILE": AUTHORITY,
    "GIT_SSL_CAINFO": AUTHORITY,
}


def run(*command, **variables):
    environment = {name: value for name, value in {**ENVIRONMENT, **variables}.items() if value is not None}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


class Https(unittest.TestCase):
    def succeeds(self, *command, **variables):
        result = run(*command, **variables)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_gh_uses_the_host_in_gh_host(self):
        shown = json.loads(self.succeeds("gh", "api", "repos/acme/gadgets"))
        self.assertEqual(shown["url"], f"{URL}/api/v3/repos/acme/gadgets")
        self.assertEqual(shown["clone_url"], f"{URL}/acme/gadgets.git")

    def test_gh_follows_the_page_links_of_a_list(self):
        path = "repos/acme/gadgets/git/matching-refs/heads?per_page=1"
        listed = self.succeeds("gh", "api", path, "--paginate", "--jq", ".[].ref").splitlines()
        self.assertIn("refs/heads/main", listed)
        fields = "orgs/acme/projectsV2/1/fields?per_page=2"
        listed = self.succeeds("gh", "api", fields, "--paginate", "--jq", ".[].name").splitlines()
        self.assertEqual(len(listed), 5)

    def test_gh_creates_a_field(self):
        created = self.succeeds("gh", "api", "orgs/acme/issue-fields", "-f", "name=Over TLS", "-f", "data_type=text")
        self.assertEqual(json.loads(created)["name"], "Over TLS")

    def test_gh_auth_status_shows_the_user_and_the_scopes(self):
        result = run("gh", "auth", "status")
        output = result.stdout + result.stderr
        self.assertEqual(result.returncode, 0, output)
        self.assertRegex(output, f"Logged in to {HOST} (as|account) alice")
        self.assertRegex(output, "Token scopes: .*repo")
        unknown = run("gh", "auth", "status", GH_ENTERPRISE_TOKEN="nobody")
        self.assertEqual(unknown.returncode, 1)
        self.assertRegex(unknown.stdout + unknown.stderr, "no longer valid|invalid")

    def test_graphql_supports_the_viewer_and_rejects_other_fields(self):
        login = self.succeeds("gh", "api", "graphql", "-f", "query={viewer{login}}", "--jq", ".data.viewer.login")
        self.assertEqual(login, "alice\n")
        diff = self.succeeds("gh", "pr", "diff", "1", "--repo", f"{HOST}/acme/gadgets")
        self.assertTrue(diff.startswith("diff --git "), diff)
        result = run("gh", "pr", "list", "--repo", f"{HOST}/acme/gadgets")
        self.assertEqual(result.returncode, 1)
        self.assertIn("GraphQL: Field 'repository' doesn't exist on type 'Query'", result.stderr)

    def test_a_client_without_the_authority_rejects_the_certificate(self):
        result = run("gh", "api", "meta", SSL_CERT_FILE=None)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("x509", result.stderr)

    def test_git_clones_and_pushes_with_the_credentials_of_gh(self):
        with tempfile.TemporaryDirectory(dir=HOME) as folder:
            helper = ["-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential"]
            git = ["git", "-C", folder, "-c", "user.name=Alice", "-c", "user.email=alice@example.com", *helper]
            self.succeeds(*git, "clone", "--quiet", f"{URL}/acme/gadgets.git", ".")
            self.succeeds(*git, "switch", "--quiet", "--create", "over-tls")
            self.succeeds(*git, "commit", "--quiet", "--allow-empty", "--message", "Over TLS")
            self.succeeds(*git, "push", "--quiet", "origin", "over-tls")
            pushed = self.succeeds(*git, "rev-parse", "HEAD").strip()
        shown = self.succeeds("gh", "api", "repos/acme/gadgets/git/ref/heads/over-tls", "--jq", ".object.sha")
        self.assertEqual(shown.strip(), pushed)

    def test_the_certificate_is_valid_for_every_local_name(self):
        context = ssl.create_default_context(cafile=AUTHORITY)
        port = HOST.rsplit(":", 1)[1]
        for name in ("localhost", "127.0.0.1"):
            with urllib.request.urlopen(f"https://{name}:{port}/meta", context=context, timeout=10) as response:
                self.assertEqual(response.status, 200)


if __name__ == "__main__":
    unittest.main()
