import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["isolation-*.test.js"],
    globalSetup: "./one-server.js",
    maxConcurrency: 50,
    maxWorkers: 2,
    minWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
