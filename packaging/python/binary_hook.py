"""A build hook that adds the binary at FORGEWRIGHT_BINARY to the wheel, as a script, with the
licences, and sets the platform tag of the wheel."""

import os
import platform
import re
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def platform_tag(binary):
    """Returns the platform tag: `manylinux_2_36_x86_64` for a binary that needs glibc 2.36, and
    `musllinux_1_1_x86_64` for one without glibc, which is static."""
    if platform.system() == "Darwin":
        # The oldest systems that Rust supports. Python itself may be a universal binary.
        return {"x86_64": "macosx_10_12_x86_64", "arm64": "macosx_11_0_arm64"}[platform.machine()]
    if platform.system() != "Linux":
        return re.sub(r"[-.]", "_", sysconfig.get_platform())
    versions = re.findall(rb"GLIBC_2\.(\d+)", binary.read_bytes())
    if not versions:
        return f"musllinux_1_1_{platform.machine()}"
    return f"manylinux_2_{max(map(int, versions))}_{platform.machine()}"


class BinaryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = Path(os.environ["FORGEWRIGHT_BINARY"]).resolve()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(binary)}"
        build_data["shared_scripts"][str(binary)] = "forgewright.exe" if os.name == "nt" else "forgewright"
        packaging = Path(self.root).parent
        for file in [*packaging.parent.glob("LICENSE-*"), packaging / "THIRD-PARTY-NOTICES.txt"]:
            build_data["force_include"][str(file)] = f"forgewright/licenses/{file.name}"
