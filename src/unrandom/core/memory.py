"""The memory that is available, and the memory that this process uses: bytes from Linux's /proc, None elsewhere."""

from pathlib import Path


def available_memory() -> int | None:
    """Memory that can be allocated without swapping."""
    return _read_field(Path("/proc/meminfo"), "MemAvailable")


def resident_memory() -> int | None:
    """Resident memory of this process."""
    return _read_field(Path("/proc/self/status"), "VmRSS")


def peak_memory() -> int | None:
    """The largest resident memory of this process so far (getrusage would include its parent's)."""
    return _read_field(Path("/proc/self/status"), "VmHWM")


def _read_field(path: Path, name: str) -> int | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    found = next((line.split() for line in lines if line.startswith(f"{name}:")), None)
    return None if found is None else int(found[1]) * 1024
