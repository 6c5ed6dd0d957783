"""What does a command ask of other machines? Its processes are watched: names they resolve, addresses they reach.

Python says so itself, in every process that inherits the environment (an audit hook). Where strace is installed, the
calls of all processes are seen, also of programs that are not Python (Ray's and wandb's), and of those with another
environment.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

HOOK = """
import os, sys
NAMES = {"socket.getaddrinfo": 0, "socket.gethostbyname": 0, "socket.gethostbyaddr": 0, "socket.getnameinfo": 0}
REACHED = {"socket.connect", "socket.sendto", "socket.sendmsg"}
def watch(event, arguments):
    if event in NAMES:
        asked = arguments[0]
    elif event in REACHED and isinstance(arguments[1], tuple):
        asked = arguments[1]
    else:
        return
    asked = asked[0] if isinstance(asked, tuple) else asked
    asked = asked.decode() if isinstance(asked, bytes) else asked
    with open(os.environ["WATCHED"], "a") as file:
        file.write(f"{asked}\\\\n")
sys.addaudithook(watch)
""".replace("\\\\n", "\\n")
CALLS = "connect,sendto,sendmsg,sendmmsg"
REMOTE = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"')
STRACE = shutil.which("strace")
DNS = "53"  # a resolver may be on this machine


@dataclass
class Watch:
    """The folder of a watch."""

    folder: Path

    def command(self, arguments: Sequence[object]) -> list[str]:
        """The command that is watched."""
        traced = [
            STRACE,
            "--seccomp-bpf",
            "-f",
            "-qq",
            "-s",
            "0",
            "-e",
            f"trace={CALLS}",
            "-o",
            str(self.folder / "calls"),
        ]
        return [*(traced if STRACE else []), *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        """The environment in which Python is watched."""
        (self.folder / "sitecustomize.py").write_text(HOOK)
        paths = filter(None, [str(self.folder), os.environ.get("PYTHONPATH")])
        return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "WATCHED": str(self.folder / "asked")}

    def asked(self) -> set[str]:
        """The names and addresses beyond this machine."""
        found = {line for asked in self.folder.glob("asked*") for line in asked.read_text().split() if not _here(line)}
        calls = self.folder / "calls"
        for port, address in REMOTE.findall(calls.read_text(errors="replace") if calls.exists() else ""):
            if port == DNS or not _here(address):
                found.add(f"{address}:{port}")
        return found


def _here(name: str) -> bool:
    if name in ("localhost", "None", "", "0.0.0.0", "::"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def asked_by(folder: Path, program: str, python: Sequence[str]) -> set[str]:
    """What a program in Python asks for."""
    watch = Watch(folder)
    subprocess.run(watch.command([*python, "-c", program]), env=watch.environment(), check=False, capture_output=True)
    return watch.asked()
