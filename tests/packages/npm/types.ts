// Compiles only if the package's types are correct.
import { connect, start, type Delivery, type Explanation, type Forge, type JournalEntry, type Token, type World } from "forgewright";
import { testWith } from "forgewright/vitest";
import { useForge } from "forgewright/jest";
import { test as playwright } from "forgewright/playwright";
import setup from "forgewright/setup";

export async function use(): Promise<string> {
  await using forge: Forge = await start({ world: { users: [{ login: "alice" }] } });
  const first: Token | undefined = forge.tokens[0];
  await using world: World = await forge.world({ copyOf: forge, name: "copy" });
  await world.clock.freeze(new Date());
  const offset: number = (await world.clock.advance({ hours: 1 })).offset;
  const entry: JournalEntry = await world.journal.wait({ operation: "create_ref", status: "2xx" }, { timeout: 1000 });
  const why: Explanation = await world.journal.explain(entry.request_id);
  const delivery: Delivery = await world.deliveries.redeliver(await world.deliveries.wait({ event: "push", status: "failed" }));
  const used: number = (await world.faults.add({ effect: "status", status: 502, operation: "create_ref" })).used;
  await world.snapshots.make("here");
  await world.reset();
  const key: string | null = world.app("ci-bot").private_key;
  await (await connect(forge.url)).stop();
  return `${first?.value ?? forge.url} ${offset} ${why.line} ${delivery.response?.status} ${used} ${key}`;
}

export const test = testWith({ world: "world.yaml" });
test("has a world", async ({ forge }) => void (forge.url satisfies string));
playwright("has a world and a page", async ({ page, forge }) => void (await page.goto(forge.url)));
export const forge: () => World = useForge();
export const stop: Promise<() => Promise<void>> = setup();
// @ts-expect-error: a port is not an address
void start({ listen: 8080 });
// @ts-expect-error: there is no such effect
void forge().faults.add({ effect: "explode" });
