"""`python -m forgewright`: runs the binary with the same arguments."""

import os
import subprocess
import sys

from ._binary import ForgewrightError, check_binary, find_binary


def main() -> int:
    try:
        binary = check_binary(find_binary())
    except ForgewrightError as error:
        print(f"forgewright: {error}", file=sys.stderr)
        return 1
    command = [binary, *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(command).returncode
    os.execv(binary, command)


if __name__ == "__main__":
    sys.exit(main())
