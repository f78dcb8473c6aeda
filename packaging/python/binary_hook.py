"""A build hook that adds the binary at FORGEWRIGHT_BINARY to the wheel, as a script, and sets the
platform tag of the wheel."""

import os
import platform
import re
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def platform_tag(binary):
    """Returns the platform tag, such as `manylinux_2_36_x86_64` for a binary that needs glibc 2.36."""
    if platform.system() != "Linux":
        return re.sub(r"[-.]", "_", sysconfig.get_platform())
    versions = re.findall(rb"GLIBC_2\.(\d+)", binary.read_bytes())
    return f"manylinux_2_{max(map(int, versions))}_{platform.machine()}"


class BinaryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = Path(os.environ["FORGEWRIGHT_BINARY"]).resolve()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(binary)}"
        build_data["shared_scripts"][str(binary)] = "forgewright.exe" if os.name == "nt" else "forgewright"
