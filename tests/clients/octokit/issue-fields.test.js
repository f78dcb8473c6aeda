// Issue fields. Octokit has no methods for them yet: all four go through `request`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, as, bob, refused } from "./clients.js";

const org = "acme";
const list = "GET /orgs/{org}/issue-fields";
const create = "POST /orgs/{org}/issue-fields";
const update = "PATCH /orgs/{org}/issue-fields/{issue_field_id}";
const remove = "DELETE /orgs/{org}/issue-fields/{issue_field_id}";

test("the fields of an organization are listed with their options", async () => {
  const { data } = await bob.request(list, { org });
  const priority = data.find((field) => field.id === 4001);
  assert.equal(priority.name, "Priority");
  assert.deepEqual(
    priority.options.map(({ name, color }) => [name, color]),
    [["High", "red"], ["Low", "gray"]],
  );
});

test("a field is created, changed option by option, and deleted", async () => {
  const created = await alice.request(create, {
    org,
    name: "Effort",
    description: "How hard it is",
    data_type: "single_select",
    options: [
      { name: "Much", color: "red", priority: 1 },
      { name: "Little", color: "green", priority: 2 },
    ],
  });
  assert.equal(created.status, 200);
  const [much, little] = created.data.options;
  assert.equal(little.priority, 2);

  const issue_field_id = created.data.id;
  const updated = await alice.request(update, {
    org,
    issue_field_id,
    name: "Work",
    description: null,
    options: [
      { id: little.id, name: "A little", color: "blue", priority: 1 },
      { name: "None", color: "gray", priority: 2 },
    ],
  });
  assert.equal(updated.data.name, "Work");
  assert.equal(updated.data.description, null);
  assert.equal(updated.data.options[0].id, little.id);
  assert.deepEqual(updated.data.options.map((option) => option.name), ["A little", "None"]);
  assert.ok(!updated.data.options.some((option) => option.id === much.id));

  const deleted = await alice.request(remove, { org, issue_field_id });
  assert.equal(deleted.status, 204);
  await refused(() => alice.request(remove, { org, issue_field_id }), 404, "Not Found");
});

test("invalid and forbidden requests get GitHub's statuses", async () => {
  const field = { org, name: "Priority", data_type: "text" };
  await refused(() => alice.request(create, field), 422, "Validation Failed");
  await refused(() => alice.request(create, { org, name: "Half" }), 422, 'Invalid request.\n\n"data_type" wasn\'t supplied.');
  await refused(() => bob.request(create, { ...field, name: "Other" }), 404, "Not Found");
  await refused(
    () => as("alice-may-read-metadata").request(list, { org }),
    403,
    "Resource not accessible by personal access token",
  );
});
