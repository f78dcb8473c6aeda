"""`gh api` with project items, of an organization and of a user. Their paths differ."""

import unittest

from program import GADGETS, Program


class Items(Program):
    def issue(self, title, *arguments):
        return self.gh(f"{GADGETS}/issues", "-f", f"title={title}", *arguments)

    def titles(self, items, *arguments):
        """Requests one item per page, so that `gh` follows the page links."""
        return self.lines(items, "-X", "GET", "--paginate", "-F", "per_page=1", "--jq", ".[].content.title", *arguments)

    def check_items(self, items, drafts, field, text):
        """Adds an issue, a pull request and a draft, finds them, sets a value, archives and deletes."""
        issue = self.issue("It squeaks", "-f", "labels[]=bug")
        added = self.gh(items, "-f", "type=Issue", "-F", f"id={issue['id']}")
        self.assertEqual((added["content_type"], added["content"]["number"]), ("Issue", issue["number"]))
        self.gh(items, "-f", "type=PullRequest", "-f", "owner=acme", "-f", "repo=gadgets", "-F", "number=1")
        draft = self.gh(drafts, "-f", "title=Oil it", "-f", "body=Some day")
        self.assertEqual(draft["content_type"], "DraftIssue")

        self.assertEqual(self.titles(items), ["It squeaks", "Use a digit", "Oil it"])
        self.assertEqual(self.titles(items, "-f", "q=is:issue label:bug"), ["It squeaks"])
        self.assertEqual(self.titles(items, "-f", "q=is:pr repo:acme/gadgets"), ["Use a digit"])
        self.refused('Validation Failed (HTTP 422)', items, "-X", "GET", "-f", "q=colour:red")

        one = f"{items}/{added['id']}"
        changed = self.gh(one, "-X", "PATCH", "-F", f"fields[][id]={field}", "-f", f"fields[][value]={text}")
        self.assertEqual([value["id"] for value in changed["fields"]], [field])
        chosen = self.gh(one, "-X", "GET", "-F", f"fields={field}")["fields"]
        self.assertEqual([value["value"]["raw"] for value in chosen], [text])

        self.assertIsNotNone(self.gh(one, "-X", "PATCH", "-F", "archived=true")["archived_at"])
        self.assertEqual(self.titles(items), ["Use a digit", "Oil it"])
        self.assertEqual(self.titles(items, "-f", "q=is:archived"), ["It squeaks"])
        self.assertIsNone(self.gh(one, "-X", "PATCH", "-F", "archived=false")["archived_at"])
        self.assertIsNone(self.gh(one, "-X", "DELETE"))
        self.refused("Not Found (HTTP 404)", one)
        self.assertEqual(self.titles(items), ["Use a digit", "Oil it"])

    def test_items_of_an_organization(self):
        project = "/orgs/acme/projectsV2/1"
        self.check_items(f"{project}/items", f"{project}/drafts", 5002, "Behind the door")

    def test_items_of_a_user(self):
        self.check_items("/users/alice/projectsV2/1/items", "/user/1001/projectsV2/1/drafts", 5012, "In the shed")

    def test_values_of_every_kind_are_set_and_cleared(self):
        project = "/orgs/acme/projectsV2/1"
        option = self.lines(f"{project}/fields/5001", "--jq", ".options[1].id")[0]
        cycle = self.lines(f"{project}/fields/5005", "--jq", ".configuration.iterations[0].id")[0]
        one = f"{project}/items/{self.gh(f'{project}/drafts', '-f', 'title=Rest')['id']}"
        values = {5001: option, 5003: 3, 5004: "2026-03-31", 5005: cycle}
        fields = [{"id": field, "value": value} for field, value in values.items()]
        self.gh(one, "-X", "PATCH", body={"fields": fields})
        shown = self.lines(f"{one}?fields=5001,5003,5004,5005", "--jq", ".fields[].value | .id? // .")
        self.assertEqual(shown, [option, "3", "2026-03-31", cycle])
        self.assertEqual(self.titles(f"{project}/items", "-f", "q=status:done points:>2 due:<2026-04-01"), ["Rest"])
        cleared = self.gh(one, "-X", "PATCH", body={"fields": [{"id": 5003, "value": None}]})
        self.assertEqual([value["value"] for value in cleared["fields"]], [None])
        self.gh(one, "-X", "DELETE")

    def test_a_private_project_is_hidden_from_others(self):
        self.refused("Not Found (HTTP 404)", "/users/alice/projectsV2/1/items", token="bob-classic")


if __name__ == "__main__":
    unittest.main()
