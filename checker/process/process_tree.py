"""Who descends from this process, and what they use: read from /proc, where there is one."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from functools import cache
from pathlib import Path

__all__ = [
    "TELLS",
    "Use",
    "asleep",
    "children",
    "descendants",
    "end_all",
    "oom_kills",
    "own_data",
    "processor_below",
    "use_of",
]

# Whether the system says who is there, and what each uses.
TELLS = Path("/proc/self/stat").exists()
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
# What follows the name in /proc/PID/stat: the state and the parent; the ticks used, by it and by
# the children that it has waited for.
_STATE, _PARENT, _USED = 0, 1, slice(11, 15)


class Use:
    """Memory in bytes: of a process's own, and what others may hold too."""

    def __init__(self, own: int = 0, shared: int = 0) -> None:
        self.own = own
        self.shared = shared


def descendants(pid: int) -> list[int]:
    """List the processes below one, the nearest first; empty where the system does not tell."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children(waiting.pop(0))
        found += below
        waiting += below
    return found


def children(pid: int) -> list[int]:
    """List a process's children, those of its threads included."""
    if not _lists_children():
        return [child for child, parent in _parents() if parent == pid]
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - read at every tick
            found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    return found


@cache
def _lists_children() -> bool:
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _parents() -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - as above
            with contextlib.suppress(IndexError, ValueError):
                found.append((int(name), int(_stat(name)[_PARENT])))
    return found


def _stat(name: str | int) -> list[bytes]:
    """What the system says of a process, or `PID/task/TID`; empty where it is gone."""
    # A program's name stands in brackets, and may hold anything.
    return _read(f"/proc/{name}/stat").rpartition(b")")[2].split()


def processor_below(pid: int) -> float:
    """Return the processor time, in seconds, of all that descends from a process.

    Threads count, and what has ended and was waited for. 0 where the system does not tell.
    """
    ticks = [sum(map(int, _stat(below)[_USED])) for below in descendants(pid)]
    # Of what has ended nobody but its parent knows any more.
    return (sum(ticks) + sum(map(int, _stat(pid)[_USED][2:]))) / _TICKS


def asleep(pid: int) -> bool:
    """Whether nothing that descends from a process computes, nor would; unknown is no."""
    below = descendants(pid)
    return bool(below) and not any(map(_busy, below))


def _busy(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - read at every tick
            # On a processor or in line for one; or held up by the machine, as by a disk.
            if _stat(f"{pid}/task/{task}")[_STATE : _STATE + 1] in ([b"R"], [b"D"]):
                return True
    return False


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as held:  # noqa: PTH123 - read at every tick
            return held.read()
    except OSError:
        return b""


def use_of(pid: int) -> Use:
    """Return what a process holds in memory; nothing where the system does not tell."""
    fields = _read(f"/proc/{pid}/statm").split()
    if len(fields) < 3:
        return Use()
    resident, shared = int(fields[1]), int(fields[2])
    return Use((resident - shared) * _PAGE, shared * _PAGE)


def own_data() -> int:
    """Return how much memory of its own this process has mapped, in bytes; 0 if unknown."""
    return _number(_read("/proc/self/status"), b"VmData:") << 10


def oom_kills() -> int:
    """Return how many processes the system has ended for want of memory."""
    return _number(_read("/proc/vmstat"), b"oom_kill ")


def _number(text: bytes, name: bytes) -> int:
    for line in text.splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


def end_all(first: int, seconds: float = 5.0) -> bool:
    """Kill a child, everything below it and every orphan that came to us; wait for them all.

    A process that forks all the while is slower at it than this is at killing. Where the
    system does not list processes it is the child's group that ends. first: that child, 0 where
    there is none in particular.
    """
    own = os.getpid()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        below = descendants(own)
        for pid in below:
            _kill(pid)
        # Group 0 would be our own, and the command's with it.
        if first and not TELLS:
            with contextlib.suppress(OSError):
                os.killpg(first, signal.SIGKILL)
        if _all_reaped():
            return True
        time.sleep(0.001)
    return False


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _all_reaped() -> bool:
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid == 0:
            return False
