// One server for the isolation tests. They must not leave a world behind.
import setup from "forgewright/setup";
import { connect } from "forgewright";

export default async function oneServer() {
  const stop = await setup();
  const forge = await connect(process.env.FORGEWRIGHT_SERVER);
  return async () => {
    const worlds = (await forge.worlds()).map(({ name }) => name);
    await forge.stop();
    await stop();
    if (worlds.join() !== "main") throw new Error(`the tests left worlds behind: ${worlds}`);
  };
}
