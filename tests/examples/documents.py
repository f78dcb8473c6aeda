"""Executes the examples of Markdown files, in their order, in one folder.

A fenced block whose info string ends with `run` is executed in its language; a block that
ends with `prints`, right after it, is what must come out of it: as JSON if it is that,
otherwise letter by letter. The files speak of the default address; the server of this run,
FORGEWRIGHT_URL, takes its place on the way in and gives it back on the way out.

    FORGEWRIGHT_URL=http://127.0.0.1:40000 python3 documents.py FOLDER FILE...
"""

import json
import os
import pathlib
import re
import subprocess
import sys

WRITTEN = "http://127.0.0.1:8080"
FENCE = re.compile(r"^```(\w+) (run|prints)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext"]
# Each language is shown at least so often; fewer means that examples are not found any more.
EXPECTED = {"sh": 3, "js": 2, "python": 1, "ts": 1}


def commands(language, file):
    """What executes a file of this language, step by step; the last one prints."""
    if language == "ts":
        return [["tsc", *STRICT, "--outDir", "compiled", file], ["node", f"compiled/{file.removesuffix('.ts')}.js"]]
    return {"sh": [["bash", "-eu", file]], "js": [["node", file]], "python": [["python", file]]}[language]


def execute(number, language, code, folder, server):
    file = f"example-{number}.{language}"
    (folder / file).write_text(code.replace(WRITTEN, server))
    for command in commands(language, file):
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        if ended.returncode != 0:
            raise AssertionError(f"{' '.join(command)} ends with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout.replace(server, WRITTEN)


def check(language, expected, printed):
    if language == "json":
        expected, printed = json.loads(expected), json.loads(printed)
    else:
        expected, printed = expected.strip(), printed.strip()
    if expected != printed:
        raise AssertionError(f"the document says\n{expected}\nbut it prints\n{printed}")


def examples(path):
    """The marked blocks of a file, each with its place."""
    text = path.read_text()
    for found in FENCE.finditer(text):
        yield f"{path.name}:{text.count(chr(10), 0, found.start()) + 1}", *found.groups()


def main(folder, paths):
    server = os.environ["FORGEWRIGHT_URL"]
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "data").symlink_to(os.environ["FORGEWRIGHT_DATA_DIR"])
    executed, compared, failed, printed = dict.fromkeys(EXPECTED, 0), 0, 0, None
    found = [example for path in paths for example in examples(path)]
    for number, (place, language, role, code) in enumerate(found):
        try:
            if role == "run":
                printed = execute(number, language, code, folder, server)
                executed[language] += 1
            else:
                check(language, code, printed)
                compared += 1
        except (AssertionError, ValueError, subprocess.TimeoutExpired) as wrong:
            failed += 1
            print(f"{place}: {wrong}", file=sys.stderr)
    print(f"examples: {sum(executed.values())} executed, {compared} compared, {failed} failed")
    missing = [language for language, count in EXPECTED.items() if executed[language] < count]
    if missing:
        print(f"examples: too few in {', '.join(missing)}", file=sys.stderr)
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), [pathlib.Path(path) for path in sys.argv[2:]]))
