// One server for the suites of isolation, which must leave no world behind.
import setup from "forgewright/setup";
import { connect } from "forgewright";

export default async function oneServer() {
  const stop = await setup();
  const forge = await connect(process.env.FORGEWRIGHT_SERVER);
  return async () => {
    const left = (await forge.worlds()).map(({ name }) => name);
    await forge.stop();
    await stop();
    if (left.join() !== "main") throw new Error(`worlds are left behind: ${left}`);
  };
}
