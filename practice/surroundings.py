"""What the computer offers: torch's version, and whether it finds a GPU.

torch is asked in a process of its own: importing it here would cost every command a second.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from .errors import Refusal

__all__ = ["Cuda", "ask_cuda", "missing_fences", "require_cuda", "torch_version"]

_QUESTION = """
import json, torch
there = torch.cuda.is_available()
print(json.dumps({
    "version": torch.__version__,
    "built": torch.version.cuda is not None,
    "name": torch.cuda.get_device_name(0) if there else None,
}))
"""

# Fences cannot be taken off again, so that a process of its own tries them on.
_FENCES = "import json; from attn_kata.checker.fence import trial; print(json.dumps(trial()))"


@dataclass(frozen=True, slots=True)
class Cuda:
    """What torch says about CUDA: the sentence's key, its values, and whether it is there."""

    there: bool
    key: str
    values: dict[str, object]


def torch_version() -> str | None:
    """Return torch's version, nothing where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return None


def missing_fences() -> list[str]:
    """Name the fences around a submission that the system does not offer; see `checker.fence`."""
    import json
    import subprocess

    command = [sys.executable, "-W", "ignore", "-c", _FENCES]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=20, check=True)
        return list(json.loads(answer.stdout))
    except (OSError, ValueError, subprocess.SubprocessError):
        return ["orphans", "files", "programs"]


def ask_cuda() -> Cuda:
    """Ask torch, in another process, whether it finds a GPU."""
    import json
    import subprocess

    command = [sys.executable, "-W", "ignore", "-c", _QUESTION]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False, encoding="utf-8"
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        return Cuda(False, "cuda-fault", {"reason": str(fault)})
    try:
        found = json.loads(answer.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = answer.stderr.strip().splitlines()[-1:]
        return Cuda(False, "cuda-fault", {"reason": "".join(last)})
    if found["name"]:
        return Cuda(True, "cuda-found", {"name": found["name"]})
    key = "cuda-no-device" if found["built"] else "cuda-not-built"
    return Cuda(False, key, {"version": found["version"]})


def require_cuda() -> None:
    """Raise Refusal with what was found, where there is no GPU."""
    cuda = ask_cuda()
    if not cuda.there:
        raise Refusal("no-cuda-device", found=cuda, notes=(("how", "auto-pretends"),))
