// Project fields. Octokit has methods to list and get them; adding goes through `request`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { alice, anonymous, as, bob, refused } from "./clients.js";

const roadmap = { org: "acme", project_number: 1 };
const chores = { username: "alice", project_number: 1 };
const addToRoadmap = "POST /orgs/{org}/projectsV2/{project_number}/fields";
const addToChores = "POST /users/{username}/projectsV2/{project_number}/fields";
const names = (fields) => fields.map((field) => field.name);

test("paginate follows the cursors through the fields of an organization's project", async () => {
  const pages = [];
  const fields = await alice.paginate(
    alice.rest.projects.listFieldsForOrg,
    { ...roadmap, per_page: 2 },
    (response) => {
      pages.push(response.data.length);
      return response.data;
    },
  );
  assert.deepEqual(names(fields).slice(0, 5), ["Status", "Details", "Points", "Due", "Cycle"]);
  assert.equal(pages.slice(0, -1).every((length) => length === 2), true);
  assert.ok(pages.length >= 3);
});

test("a cursor leads back to the previous page", async () => {
  const first = await alice.rest.projects.listFieldsForOrg({ ...roadmap, per_page: 2 });
  const after = new URL(/<([^>]+)>; rel="next"/.exec(first.headers.link)[1]).searchParams.get("after");
  const second = await alice.rest.projects.listFieldsForOrg({ ...roadmap, per_page: 2, after });
  assert.deepEqual(names(second.data), ["Points", "Due"]);
  const before = new URL(/<([^>]+)>; rel="prev"/.exec(second.headers.link)[1]).searchParams.get("before");
  const back = await alice.rest.projects.listFieldsForOrg({ ...roadmap, per_page: 2, before });
  assert.deepEqual(names(back.data), names(first.data));
});

test("a field shows its options, and the public project needs no token", async () => {
  const { data } = await anonymous.rest.projects.getFieldForOrg({ ...roadmap, field_id: 5001 });
  assert.equal(data.data_type, "single_select");
  assert.deepEqual(
    data.options.map(({ name, color, description }) => [name.raw, color, description.raw]),
    [["Todo", "GREEN", "Not begun"], ["Done", "PURPLE", ""]],
  );
});

test("fields of each kind are added to an organization's project", async () => {
  const text = await alice.request(addToRoadmap, { ...roadmap, name: "Notes", data_type: "text" });
  assert.equal(text.status, 201);
  assert.equal(text.data.name, "Notes");
  assert.match(text.data.node_id, /^PVTF_/);

  const select = await alice.request(addToRoadmap, {
    ...roadmap,
    name: "Size",
    data_type: "single_select",
    single_select_options: [{ name: "Small", color: "BLUE", description: "A day" }],
  });
  assert.equal(select.data.options[0].name.raw, "Small");

  const iteration = await alice.request(addToRoadmap, {
    ...roadmap,
    name: "Sprint",
    data_type: "iteration",
    iteration_configuration: {
      start_date: "2026-01-05",
      duration: 14,
      iterations: [{ title: "One", start_date: "2026-01-05", duration: 14 }],
    },
  });
  assert.equal(iteration.data.configuration.duration, 14);
  assert.equal(iteration.data.configuration.iterations[0].title.raw, "One");

  const hiring = { org: "acme", project_number: 2 };
  const mirrored = await alice.request(addToRoadmap, { ...hiring, issue_field_id: 4002 });
  assert.equal(mirrored.data.name, "Estimate");
  assert.equal(mirrored.data.data_type, "number");

  const { data } = await alice.rest.projects.getFieldForOrg({ ...roadmap, field_id: select.data.id });
  assert.deepEqual(data, select.data);
});

test("the project of a user is listed, read and added to", async () => {
  const fields = await alice.paginate(alice.rest.projects.listFieldsForUser, { ...chores, per_page: 2 });
  assert.deepEqual(names(fields), ["When", "Where", "How long"]);
  const { data } = await alice.rest.projects.getFieldForUser({ ...chores, field_id: 5011 });
  assert.equal(data.data_type, "date");
  const added = await alice.request(addToChores, { ...chores, name: "Who", data_type: "text" });
  assert.equal(added.status, 201);
  assert.equal(added.data.name, "Who");
});

test("invalid and forbidden requests get GitHub's statuses", async () => {
  await refused(() => anonymous.request(addToRoadmap, { ...roadmap, name: "X", data_type: "text" }), 401, "Requires authentication");
  await refused(
    () => as("alice-may-read-metadata").request(addToRoadmap, { ...roadmap, name: "X", data_type: "text" }),
    403,
    "Resource not accessible by personal access token",
  );
  await refused(() => alice.rest.projects.getFieldForOrg({ ...roadmap, field_id: 99 }), 404, "Not Found");
  await refused(() => bob.rest.projects.listFieldsForUser(chores), 404, "Not Found");
  await refused(() => alice.request(addToRoadmap, { ...roadmap, name: "X", data_type: "colour" }), 422, "Invalid request.");
});
