// Compiles if the types of the package say what it does.
import { start, type Forge, type Token } from "forgewright";
import { testWith } from "forgewright/vitest";
import { useForge } from "forgewright/jest";

export async function use(): Promise<string> {
  await using forge: Forge = await start({ world: { users: [{ login: "alice" }] } });
  const first: Token | undefined = forge.tokens[0];
  return first?.value ?? forge.url;
}

export const test = testWith({ world: "world.yaml" });
export const forge: () => Forge = useForge();
// @ts-expect-error: a port is no address
void start({ listen: 8080 });
