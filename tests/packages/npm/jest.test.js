// The Jest helper: each test has its own world, on one server.
import { useForge } from "forgewright/jest";

const forge = useForge();
const seen = new Set();

test.each(["one", "two"])("test %s has its own world", async () => {
  expect(seen.has(forge().url)).toBe(false);
  seen.add(forge().url);
  expect(new Set([...seen].map((url) => new URL(url).origin)).size).toBe(1);
  const response = await fetch(`${forge().url}/orgs/acme/issue-fields`, {
    method: "POST",
    headers: { authorization: `Bearer ${forge().token("alice")}` },
    body: JSON.stringify({ name: "Effort of each", data_type: "text" }),
  });
  // In a shared world the second field with this name would be rejected.
  expect(response.status).toBe(200);
});

test("the server of the global setup is used if there is one", () => {
  const shared = process.env.FORGEWRIGHT_SERVER;
  expect(Boolean(shared)).toBe(process.env.WITH_SETUP === "yes");
  if (shared) expect(forge().url.startsWith(shared)).toBe(true);
});

describe("with another world", () => {
  const other = useForge({ world: { users: [{ login: "zoe" }], tokens: [{ kind: "classic", user: "zoe" }] } });
  test("the given world is used", () => expect(other().tokens.map(({ holder }) => holder)).toEqual(["zoe"]));
});
