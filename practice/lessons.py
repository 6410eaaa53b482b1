"""A lesson's steps, run beside the command, which never imports torch itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from ..kata.catalogue import Kata
from ..kata.lessons import CODE, END
from .errors import Refusal

__all__ = ["outputs"]

_RUN = (
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "from attn_kata.kata.lessons import play\n"
    "play(sys.argv[1])\n"
)


def outputs(kata: Kata) -> Iterator[str]:
    """Run a lesson's steps; yield what each prints, as it comes. Raise Refusal where one fails."""
    command = [sys.executable, "-c", _RUN, str(kata.folder / CODE)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", env=None,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        said: list[str] = []
        try:
            for line in process.stdout:
                if line.rstrip("\n") != END:
                    said.append(line)
                    continue
                yield "".join(said).strip("\n")
                said.clear()
            fault = process.stderr.read().strip().splitlines()
        finally:
            process.kill()
    if fault:
        raise Refusal("learn-failed", reason=fault[-1], commands=("doctor", f"learn {kata.id}"))
