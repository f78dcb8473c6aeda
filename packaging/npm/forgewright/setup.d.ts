/**
 * The global setup for Vitest, Jest and Playwright: starts one server for all processes of the test run, with the
 * world file at `FORGEWRIGHT_WORLD` or the demo world.
 * @returns A function that stops the server. Jest does not call it: there, the server stops when Jest exits.
 */
export default function setup(): Promise<() => Promise<void>>;
