"""Finds the binary of this package, and says what to do when it does not run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import version as version_of
from pathlib import Path

version = version_of("forgewright")


class ForgewrightError(RuntimeError):
    """Why a server could not be started, or why it refused something, and what to do."""

    #: The status with which the control API refused a request.
    status: int | None = None


def find_binary() -> str:
    """The path of the binary; FORGEWRIGHT_BINARY may name another."""
    named = os.environ.get("FORGEWRIGHT_BINARY")
    if named:
        return named
    program = "forgewright" + (sysconfig.get_config_var("EXE") or "")
    # With `pip install --target`, scripts are beside the packages.
    folders = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", f"{os.name}_user")),
        Path(__file__).parent.parent / "bin",
        Path(sys.executable).parent,
    ]
    for folder in folders:
        path = folder / program
        if path.is_file():
            return str(path)
    looked = ", ".join(map(str, folders))
    raise ForgewrightError(
        f"the binary of this package is in none of {looked}; install the package again, or name a binary in "
        "FORGEWRIGHT_BINARY"
    )


def check_binary(path: str) -> str:
    """Refuses a binary that does not run here, or that has another version than this package."""
    if not Path(path).exists():
        raise ForgewrightError(f"there is no binary at {path}; name one that exists, in `binary` or FORGEWRIGHT_BINARY")
    try:
        ended = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise unusable(str(error), path) from error
    if ended.returncode:
        raise unusable(ended.stderr, path)
    found = ended.stdout.split()[1]
    if found != version:
        raise ForgewrightError(
            f"{path} has version {found}, but this package has {version}; install both in the same version"
        )
    return path


def unusable(output: str, binary: str) -> ForgewrightError:
    """Why a binary cannot even say its version."""
    said = output.strip().split("\n", 1)[0]
    if re.search(r"GLIBC_[\d.]+' not found", output):
        return ForgewrightError(
            f"{binary} needs a newer glibc than this machine has; use the container image, or build it here with "
            f"`cargo install --path .` and name it in FORGEWRIGHT_BINARY ({said})"
        )
    return ForgewrightError(
        f"{binary} does not run on this machine: it is for another processor or needs glibc; install the wheel "
        f"of this platform, or use the container image ({said})"
    )


def last_words(log: str) -> ForgewrightError:
    """What a server said before it ended."""
    said = log.strip()
    lines = said.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(("forgewright: ", "error: "))]
    return ForgewrightError("\n".join(lines[starts[-1]:]) if starts else said or "the server ended without a word")
