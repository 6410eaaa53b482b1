"""A submission's folder: made before it runs, watched while it does, and removed afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile

__all__ = ["Scratch"]

_MOST = 1 << 30
# The disk is the whole machine's: only where it loses this much is the folder looked through.
_NOTICED = 256 << 20
_PATIENCE = 20


class Scratch:
    """A temporary folder. path: None where none can be made, as on a full disk."""

    def __init__(self) -> None:
        self.path: str | None = None
        with contextlib.suppress(OSError):
            self.path = tempfile.mkdtemp(prefix="attn-kata-")
        self.free = self._free()

    def full(self) -> bool:
        """Whether more was written than any submission has to."""
        if self.path is None or self.free - self._free() < _NOTICED:
            return False
        taken = 0
        for folder, _, names in os.walk(self.path):
            for name in names:
                with contextlib.suppress(OSError):
                    taken += os.lstat(os.path.join(folder, name)).st_blocks * 512  # noqa: PTH118 - many
        return taken > _MOST

    def remove(self) -> None:
        """Remove it, also where folders are locked, or nested deeper than Python goes."""
        if self.path is None:
            return
        with contextlib.suppress(OSError, RecursionError):
            shutil.rmtree(self.path)
        if os.path.lexists(self.path):
            for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
                with contextlib.suppress(OSError, subprocess.SubprocessError):
                    subprocess.run(
                        [*command, self.path], capture_output=True, check=False, timeout=_PATIENCE
                    )

    def _free(self) -> int:
        with contextlib.suppress(OSError):
            held = os.statvfs(self.path or "/")
            return held.f_bavail * held.f_frsize
        return 0
