"""How much a submission may use. Standard library only."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CLOSED", "Limits", "share_of_memory"]

# The exit status of a candidate whose line to its judge is closed on its own side.
CLOSED = 71

# A submission on small tensors needs far less; a machine may be full of other things.
_LEAST = 512 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one submission and all that it starts may use.

    seconds: of processor time for a whole check, and as many asleep. memory: bytes beside what
    torch itself takes, 0 for any. accelerator: the device that it may use, none as a rule.
    programs: whether it may start others, as Triton's compiler does.
    """

    seconds: float
    memory: int
    accelerator: str = ""
    programs: bool = False


def share_of_memory(judges: int) -> int:
    """Return half of the machine's memory, or of what this group may use, shared by judges."""
    found = [_physical(), *_group_limits()]
    return max(_LEAST, min(found) // 2 // max(1, judges))


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 8 << 30


def _group_limits() -> list[int]:
    """Read what a container may use."""
    found: list[int] = []
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(Path(path).read_text("ascii")))
    return found
