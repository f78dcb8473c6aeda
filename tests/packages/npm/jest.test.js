// The helper for Jest, under Jest: each test has a world of its own, on one server.
import { useForge } from "forgewright/jest";

const forge = useForge();
const seen = new Set();

test.each(["one", "two"])("test %s has a world of its own", async () => {
  expect(seen.has(forge().url)).toBe(false);
  seen.add(forge().url);
  expect(new Set([...seen].map((url) => new URL(url).origin)).size).toBe(1);
  const answer = await fetch(`${forge().url}/orgs/acme/issue-fields`, {
    method: "POST",
    headers: { authorization: `Bearer ${forge().token("alice")}` },
    body: JSON.stringify({ name: "Effort of each", data_type: "text" }),
  });
  // A second one of this name would be refused.
  expect(answer.status).toBe(200);
});

test("a server of the whole run is used, if there is one", () => {
  const shared = process.env.FORGEWRIGHT_SERVER;
  expect(Boolean(shared)).toBe(process.env.WITH_SETUP === "yes");
  if (shared) expect(forge().url.startsWith(shared)).toBe(true);
});

describe("with another world", () => {
  const other = useForge({ world: { users: [{ login: "zoe" }], tokens: [{ kind: "classic", user: "zoe" }] } });
  test("the world is chosen", () => expect(other().tokens.map(({ holder }) => holder)).toEqual(["zoe"]));
});
