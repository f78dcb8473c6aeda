"""`gh api` with the operations of the service."""

import unittest

from program import GADGETS, Program, run


class Gh(Program):
    def tip(self, branch):
        return self.gh(f"{GADGETS}/git/ref/heads/{branch}")["object"]["sha"]

    def test_project_fields_of_an_organization_are_paged_added_and_read(self):
        fields = "/orgs/acme/projectsV2/1/fields"
        self.assertEqual(
            self.lines(f"{fields}?per_page=2", "--paginate", "--jq", ".[].name"),
            ["Status", "Details", "Points", "Due", "Cycle"],
        )
        added = self.gh(fields, "-f", "name=Notes", "-f", "data_type=text")
        self.assertEqual(self.gh(f"{fields}/{added['id']}"), added)
        self.refused("Not Found (HTTP 404)", f"{fields}/99")

    def test_files_are_created_read_and_deleted(self):
        self.gh(f"{GADGETS}/git/refs", "-f", "ref=refs/heads/gh-files", "-f", f"sha={self.tip('main')}")
        path, branch = f"{GADGETS}/contents/docs/gh/one.md", ("-f", "branch=gh-files")
        created = self.gh(path, "-X", "PUT", "-f", "message=Make", "-f", "content=b25l", *branch)
        read = f"{path}?ref=gh-files"
        self.assertEqual(self.gh(read)["content"], "b25l\n")
        self.assertEqual(self.lines(read, "-H", "Accept: application/vnd.github.raw"), ["one"])
        sha = created["content"]["sha"]
        self.refused("Invalid request.", path, "-X", "PUT", "-f", "message=Again", "-f", "content=dHdv", *branch)
        deleted = self.gh(path, "-X", "DELETE", "-f", "message=Delete", "-f", f"sha={sha}", *branch)
        self.assertIsNone(deleted["content"])
        self.gh(f"{GADGETS}/git/refs/heads/gh-files", "-X", "DELETE")

    def test_commits_are_listed_and_compared(self):
        commits = self.lines(f"{GADGETS}/commits?sha=feature/a&per_page=1", "--paginate", "--jq", ".[].sha")
        self.assertEqual(commits[0], self.tip("feature/a"))
        compared = self.gh(f"{GADGETS}/compare/main...feature/a")
        self.assertEqual(compared["ahead_by"], len(compared["commits"]))
        diff = self.lines(f"{GADGETS}/commits/feature/a", "-H", "Accept: application/vnd.github.v3.diff")
        self.assertTrue(diff[0].startswith("diff --git "))

    def test_pull_requests_are_listed_and_shown_as_diffs(self):
        numbers = self.lines(f"{GADGETS}/pulls?state=all", "--jq", ".[].number")
        self.assertIn("1", numbers)
        diff = self.lines(f"{GADGETS}/pulls/1", "-H", "Accept: application/vnd.github.v3.diff")
        self.assertTrue(diff[0].startswith("diff --git a/"), diff[0])

    def test_project_fields_of_a_user_are_paged_added_and_read(self):
        fields = "/users/alice/projectsV2/1/fields"
        added = self.gh(fields, "-f", "name=Who", "-f", "data_type=text")
        self.assertEqual(self.gh(f"{fields}/{added['id']}")["name"], "Who")
        self.assertEqual(
            self.lines(f"{fields}?per_page=1", "--paginate", "--jq", ".[].name"), ["When", "Where", "How long", "Who"]
        )

    def test_issue_fields_are_listed_created_changed_and_deleted(self):
        fields = "/orgs/acme/issue-fields"
        options = [{"name": "Much", "color": "red", "priority": 1}]
        created = self.gh(fields, body={"name": "Effort", "data_type": "single_select", "options": options})
        changed = self.gh(f"{fields}/{created['id']}", "-X", "PATCH", "-f", "name=Work", "-F", "description=null")
        self.assertEqual(changed["options"][0]["id"], created["options"][0]["id"])
        self.assertIn("Work", self.lines(fields, "--jq", ".[].name"))
        self.assertIsNone(self.gh(f"{fields}/{created['id']}", "-X", "DELETE"))
        self.refused("Not Found (HTTP 404)", f"{fields}/{created['id']}", "-X", "DELETE")
        self.refused('Invalid request.', fields, "-f", "name=Half")

    def test_review_comments_are_created_paged_replied_to_changed_and_deleted(self):
        comments = f"{GADGETS}/pulls/1/comments"
        position = ["-f", f"commit_id={self.tip('feature/a')}", "-f", "path=README.md", "-F", "line=2", "-f", "side=RIGHT"]
        ids = [self.gh(comments, "-f", f"body={body}", *position)["id"] for body in ("one", "two", "three")]
        reply = self.gh(f"{comments}/{ids[0]}/replies", "-f", "body=An answer")
        self.assertEqual(reply["in_reply_to_id"], ids[0])
        listed = self.lines(f"{comments}?per_page=2", "--paginate", "--jq", ".[].id")
        self.assertEqual(listed, [str(id) for id in [*ids, reply["id"]]])
        everywhere = self.lines(f"{GADGETS}/pulls/comments?per_page=3", "--paginate", "--jq", ".[].body")
        self.assertEqual(everywhere, ["one", "two", "three", "An answer"])

        one = f"{GADGETS}/pulls/comments/{ids[0]}"
        self.assertEqual(self.gh(one, "-X", "PATCH", "-f", "body=first")["body"], "first")
        html = self.gh(one, "-H", "Accept: application/vnd.github-commitcomment.html+json")
        self.assertNotIn("body", html)
        self.assertIn("first", html["body_html"])
        self.assertIsNone(self.gh(one, "-X", "DELETE"))
        self.refused("Not Found (HTTP 404)", one)
        self.refused("Validation Failed (HTTP 422)", comments, "-f", "body=x", *position[:4], "-F", "line=99")

    def test_references_are_created_moved_listed_and_deleted(self):
        refs = f"{GADGETS}/git/refs"
        created = self.gh(refs, "-f", "ref=refs/heads/topic/x", "-f", f"sha={self.tip('main')}")
        self.assertEqual(created["ref"], "refs/heads/topic/x")
        digit, aside = self.tip("feature/a"), self.tip("feature/b")
        self.assertEqual(self.gh(f"{refs}/heads/topic/x", "-X", "PATCH", "-f", f"sha={digit}")["object"]["sha"], digit)
        self.refused("Update is not a fast forward (HTTP 422)", f"{refs}/heads/topic/x", "-X", "PATCH", "-f", f"sha={aside}")
        forced = self.gh(f"{refs}/heads/topic/x", "-X", "PATCH", "-f", f"sha={aside}", "-F", "force=true")
        self.assertEqual(forced["object"]["sha"], aside)
        self.assertEqual(self.lines(f"{GADGETS}/git/matching-refs/heads/topic", "--jq", ".[].ref"), ["refs/heads/topic/x"])
        self.assertIsNone(self.gh(f"{refs}/heads/topic/x", "-X", "DELETE"))
        self.refused("Not Found (HTTP 404)", f"{GADGETS}/git/ref/heads/topic/x")
        self.refused("Git Repository is empty. (HTTP 409)", "/repos/acme/empty/git/ref/heads/main")

    def test_repositories_are_added_to_and_removed_from_an_installation(self):
        through = {"token": "alice-through-ci-bot"}
        self.assertEqual(self.lines("/user/installations", "--jq", ".installations[].id", **through), ["7001"])
        repositories = "/user/installations/7001/repositories"
        self.assertIsNone(self.gh(f"{repositories}/2004", "-X", "PUT"))
        listed = self.lines(f"{repositories}?per_page=1", "--paginate", "--jq", ".repositories[].name", **through)
        self.assertEqual(listed, ["widgets", "gadgets", "parts"])
        self.assertIsNone(self.gh(f"{repositories}/2004", "-X", "DELETE"))

    def test_the_installation_lists_its_repositories_and_revokes_its_token(self):
        own = {"token": "ci-bot-in-acme"}
        listed = self.lines("/installation/repositories?per_page=1", "--paginate", "--jq", ".repositories[].name", **own)
        self.assertEqual(listed[:2], ["widgets", "gadgets"])
        self.assertIsNone(self.gh("/installation/token", "-X", "DELETE", **own))
        self.refused("Bad credentials (HTTP 401)", "/installation/repositories", **own)

    def test_a_conditional_request_gets_304(self):
        shown = run(f"{GADGETS}/git/ref/heads/main", "--include").stdout
        etag = next(line.split(": ", 1)[1] for line in shown.splitlines() if line.lower().startswith("etag: "))
        again = run(f"{GADGETS}/git/ref/heads/main", "-H", f"If-None-Match: {etag.strip()}")
        self.assertEqual(again.stderr, "gh: HTTP 304\n")


if __name__ == "__main__":
    unittest.main()
