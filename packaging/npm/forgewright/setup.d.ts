/** A global setup for Vitest, Jest and Playwright: one server for all their processes. */
export default function setup(): Promise<() => Promise<void>>;
