"""Finds and checks the binary of this package. Error messages say what to do."""

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
    """A server could not be started or reached, or the control API refused a request.

    The message says what to do.
    """

    status: int | None = None
    """The HTTP status of the control API's response, if the error is one."""


def find_binary() -> str:
    """Returns the path of the binary. The variable FORGEWRIGHT_BINARY overrides it."""
    override = os.environ.get("FORGEWRIGHT_BINARY")
    if override:
        return override
    program = "forgewright" + (sysconfig.get_config_var("EXE") or "")
    # `pip install --target` puts scripts next to the packages.
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
    searched = ", ".join(map(str, folders))
    raise ForgewrightError(
        f"the binary of this package was not found in {searched}; reinstall the package, or set "
        "FORGEWRIGHT_BINARY to the path of a binary"
    )


def check_binary(path: str) -> str:
    """Returns `path`. Raises an error if the binary does not run, or if its version is not that of this package."""
    if not Path(path).exists():
        raise ForgewrightError(
            f"there is no binary at {path}; correct the argument `binary` or the variable FORGEWRIGHT_BINARY"
        )
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise unusable_binary(str(error), path) from error
    if result.returncode:
        raise unusable_binary(result.stderr, path)
    found = result.stdout.split()[1]
    if found != version:
        raise ForgewrightError(
            f"{path} has version {found}, but this package has {version}; install the same version of both"
        )
    return path


def unusable_binary(output: str, binary: str) -> ForgewrightError:
    """Returns the error for a binary that cannot print its version."""
    first_line = output.strip().split("\n", 1)[0]
    if re.search(r"GLIBC_[\d.]+' not found", output):
        return ForgewrightError(
            f"{binary} needs a newer glibc than this machine has; use the container image, or build the binary "
            f"here with `cargo install --path .` and set FORGEWRIGHT_BINARY to its path ({first_line})"
        )
    return ForgewrightError(
        f"{binary} does not run on this machine: it is for another processor or needs glibc; install the wheel "
        f"for this platform, or use the container image ({first_line})"
    )


def start_error(log: str) -> ForgewrightError:
    """Returns the error of a server that exited during its start, from its log."""
    text = log.strip()
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(("forgewright: ", "error: "))]
    if starts:
        return ForgewrightError("\n".join(lines[starts[-1]:]))
    return ForgewrightError(text or "the server exited without an error message")
