"""Runs the examples in Markdown files, in order, in one folder.

The info string of a fenced block says what it is. `run`: code to run in its language.
`prints`: the expected output of the block before it, compared as JSON if it is JSON,
otherwise as text. `world`: a world file, which `forgewright world check` must accept.
`file NAME`: a file to save under that name, for the examples after it. The files contain
the server's default address. The script replaces it with that of FORGEWRIGHT_URL in the
code, and replaces it back in the output.

    FORGEWRIGHT_URL=http://127.0.0.1:40000 python3 documents.py FOLDER FILE...
"""

import json
import os
import pathlib
import re
import subprocess
import sys

DEFAULT_ADDRESS = "127.0.0.1:8080"
FENCE = re.compile(r"^```(\w+) (run|prints|world|file \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext"]
# The minimum number of examples in each language, to detect examples that are no longer found.
EXPECTED = {"sh": 5, "js": 2, "python": 1, "ts": 1, "yaml": 2}


def commands(language, file):
    """The commands that run a file in this language; the last one prints the output."""
    if language == "ts":
        return [["tsc", *STRICT, "--outDir", "compiled", file], ["node", f"compiled/{file.removesuffix('.ts')}.js"]]
    return {"sh": [["bash", "-eu", file]], "js": [["node", file]], "python": [["python", file]]}[language]


def execute(number, language, code, folder, server):
    file = f"example-{number}.{language}"
    (folder / file).write_text(code.replace(DEFAULT_ADDRESS, server))
    for command in commands(language, file):
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        if result.returncode != 0:
            raise AssertionError(f"{' '.join(command)} exited with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout.replace(server, DEFAULT_ADDRESS)


def check_world(number, text, folder):
    """Checks a world file in its own folder, with the repositories and keys that it references."""
    home = folder / f"world-{number}" / "worlds"
    home.mkdir(parents=True)
    file = home / "world.yaml"
    file.write_text(text)
    for path in re.findall(r"^ *path: (\S+)", text, re.MULTILINE):
        subprocess.run(["git", "init", "--quiet", "--bare", home / path], check=True)
    for key in re.findall(r"^ *generate_key: (\S+)", text, re.MULTILINE):
        subprocess.run(["openssl", "genrsa", "-out", home / key, "2048"], check=True, capture_output=True)
    command = [os.environ["FORGEWRIGHT_BINARY"], "world", "check", file]
    result = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise AssertionError(f"`world check` rejects it:\n{result.stdout}{result.stderr}")


def check(language, expected, printed):
    if language == "json":
        expected, printed = json.loads(expected), json.loads(printed)
    else:
        expected, printed = expected.strip(), printed.strip()
    if expected != printed:
        raise AssertionError(f"expected\n{expected}\nbut it prints\n{printed}")


def examples(path):
    """The examples in a file, each with its position."""
    text = path.read_text()
    for found in FENCE.finditer(text):
        yield f"{path.name}:{text.count(chr(10), 0, found.start()) + 1}", *found.groups()


def main(folder, paths):
    server = os.environ["FORGEWRIGHT_URL"].removeprefix("http://")
    program = pathlib.Path(os.environ["FORGEWRIGHT_BINARY"]).resolve()
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "data").symlink_to(os.environ["FORGEWRIGHT_DATA_DIR"])
    ran, compared, failed, printed = dict.fromkeys(EXPECTED, 0), 0, 0, None
    found = [example for path in paths for example in examples(path)]
    for number, (position, language, role, code) in enumerate(found):
        try:
            if role == "run":
                printed = execute(number, language, code, folder, server)
                ran[language] += 1
            elif role == "world":
                check_world(number, code, folder)
                ran[language] += 1
            elif role.startswith("file "):
                (folder / role.removeprefix("file ")).write_text(code)
            else:
                check(language, code, printed)
                compared += 1
        except (AssertionError, ValueError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{position}: {error}", file=sys.stderr)
    print(f"examples: {sum(ran.values())} run, {compared} outputs compared, {failed} failed")
    missing = [language for language, count in EXPECTED.items() if ran[language] < count]
    if missing:
        print(f"examples: too few in {', '.join(missing)}", file=sys.stderr)
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), [pathlib.Path(path) for path in sys.argv[2:]]))
