"""How much memory is there, and how much does this process take? In bytes, as Linux tells; None elsewhere."""

from pathlib import Path


def available_memory() -> int | None:
    """What could be asked for without swapping."""
    return _read_field(Path("/proc/meminfo"), "MemAvailable")


def resident_memory() -> int | None:
    """What this process takes now."""
    return _read_field(Path("/proc/self/status"), "VmRSS")


def peak_memory() -> int | None:
    """The most that this process has ever taken (getrusage would count what its parent took before)."""
    return _read_field(Path("/proc/self/status"), "VmHWM")


def _read_field(path: Path, name: str) -> int | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    found = next((line.split() for line in lines if line.startswith(f"{name}:")), None)
    return None if found is None else int(found[1]) * 1024
