// The Vitest helper: each test has its own world, on one server.
import { expect } from "vitest";
import { test, testWith } from "forgewright/vitest";

const seen = new Set();
const servers = new Set();

for (const name of ["one", "two"]) {
  test(`test ${name} has its own world`, async ({ forge }) => {
    expect(seen.has(forge.url)).toBe(false);
    seen.add(forge.url);
    servers.add(new URL(forge.url).origin);
    const response = await fetch(`${forge.url}/orgs/acme/issue-fields`, {
      method: "POST",
      headers: { authorization: `Bearer ${forge.token("alice")}` },
      body: JSON.stringify({ name: "Effort of each", data_type: "text" }),
    });
    // In a shared world the second field with this name would be rejected.
    expect(response.status).toBe(200);
    expect(servers.size).toBe(1);
  });
}

testWith({ world: { users: [{ login: "zoe" }], tokens: [{ kind: "classic", user: "zoe" }] } })(
  "the given world is used",
  async ({ forge }) => expect(forge.tokens.map((token) => token.holder)).toEqual(["zoe"]),
);
