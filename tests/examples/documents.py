"""Runs the examples in Markdown files as a reader does who copies them: each page from top to bottom,
in a folder of its own with a server of its own, and then again.

The info string of a fenced block says what it is. `run`: code to run in its language.
`prints`: the expected output of the block before it, compared as JSON if it is JSON,
otherwise as text. `world`: a world file, which `forgewright world check` must accept.
`file NAME`: a file to save under that name, for the examples after it. The files contain
the server's default address. The script replaces it with that of the server in the code, and
replaces it back in the output.

    python3 documents.py FOLDER FILE...

FOLDER has the packages of the examples in node_modules.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from support.server import Server, binary, until  # noqa: E402

DEFAULT_ADDRESS = "127.0.0.1:8080"
FENCE = re.compile(r"^```(\w+) (run|prints|world|file \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext"]
# The minimum number of examples in each language, to detect examples that are no longer found.
EXPECTED = {"sh": 16, "js": 2, "python": 1, "ts": 1, "yaml": 1}
TIMES = 2
# What ends an example that hangs, on a busy machine too, in seconds.
PATIENCE = 900


class Page:
    """A page, with its folder and its server."""

    def __init__(self, path, folder):
        self.name = path.name if path.parent.name != "docs" else f"docs/{path.name}"
        text = path.read_text()
        self.examples = [(text.count("\n", 0, found.start()) + 1, *found.groups()) for found in FENCE.finditer(text)]
        self.folder = folder / self.name.replace("/", "-").removesuffix(".md")
        self.ran = dict.fromkeys(EXPECTED, 0)
        self.failed = self.compared = 0

    def run(self, modules):
        self.folder.mkdir()
        (self.folder / "package.json").write_text('{"type": "module"}')
        (self.folder / "node_modules").symlink_to(modules)
        # A debug build on a busy machine is slow, and the default limit of Vitest is five seconds.
        (self.folder / "vitest.config.js").write_text("export default { test: { testTimeout: 600_000 } };")
        server = Server(self.folder, "--data-dir", str(self.folder / "data"))
        server.spawn()
        until(PATIENCE, server.is_ready, "the server becomes ready")
        self.address = f"127.0.0.1:{server.port}"
        for time in range(TIMES):
            self.run_once("" if time == 0 else " (again)")
        server.kill(signal.SIGTERM)

    def run_once(self, suffix):
        printed = None
        for line, language, role, code in self.examples:
            file = f"example-{line}.{language}"
            try:
                if role == "run":
                    printed = self.execute(language, file, code)
                    self.ran[language] += 1
                elif role == "world":
                    self.command(["forgewright", "world", "check", self.save(file, code)])
                    self.ran[language] += 1
                elif role == "prints":
                    compare(language, code, printed)
                    self.compared += 1
                else:
                    self.save(role.removeprefix("file "), code)
            except (AssertionError, ValueError, subprocess.TimeoutExpired) as error:
                self.failed += 1
                print(f"{self.name}:{line}{suffix}: {error}", file=sys.stderr)

    def save(self, file, code):
        (self.folder / file).write_text(code.replace(DEFAULT_ADDRESS, self.address))
        return file

    def execute(self, language, file, code):
        self.save(file, code)
        if language == "ts":
            self.command(["tsc", *STRICT, "--outDir", "compiled", file])
            return self.command(["node", f"compiled/{file.removesuffix('.ts')}.js"])
        return self.command([*{"sh": ["bash", "-eu"], "js": ["node"], "python": ["python"]}[language], file])

    def command(self, command):
        # For `forgewright explain`. The packages use this server too, instead of starting one.
        environment = {**os.environ, "FORGEWRIGHT_SERVER": f"http://{self.address}"}
        result = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        if result.returncode != 0:
            raise AssertionError(f"{' '.join(command)} exited with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout.replace(self.address, DEFAULT_ADDRESS)


def compare(language, expected, printed):
    if language == "json":
        expected, printed = json.loads(expected), json.loads(printed)
    else:
        expected, printed = expected.strip(), printed.strip()
    if expected != printed:
        raise AssertionError(f"expected\n{expected}\nbut it prints\n{printed}")


def main(folder, paths):
    os.environ["PATH"] = f"{pathlib.Path(binary()).resolve().parent}:{os.environ['PATH']}"
    pages = [page for path in paths if (page := Page(path, folder)).examples]
    for page in pages:
        page.run(folder / "node_modules")
    ran = {language: sum(page.ran[language] for page in pages) for language in EXPECTED}
    failed = sum(page.failed for page in pages)
    compared = sum(page.compared for page in pages)
    print(f"examples: {len(pages)} pages {TIMES} times, {sum(ran.values())} run, {compared} outputs compared, {failed} failed")
    missing = [language for language, count in EXPECTED.items() if ran[language] < TIMES * count]
    if missing:
        print(f"examples: too few in {', '.join(missing)}", file=sys.stderr)
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), [pathlib.Path(path) for path in sys.argv[2:]]))
