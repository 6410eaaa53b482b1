"""What the computer offers: torch's version, and whether it finds a GPU.

torch is asked in a process of its own: importing it here would cost every command a second.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from .errors import Refusal

__all__ = [
    "Cuda",
    "ask_cuda",
    "device_called",
    "missing_fences",
    "require_device",
    "torch_version",
]

# Asked as a submission's process would ask it, by having the device compute something.
_QUESTION = """
import json, sys, torch
from attn_kata.checker.candidate.accelerator import NoStart, is_built, start
kind = sys.argv[1].partition(":")[0]
found = {"version": torch.__version__, "built": is_built(kind)}
try:
    found["name"] = start(sys.argv[1]).name
except NoStart as fault:
    found |= {"reason": str(fault), "count": fault.count}
print(json.dumps(found))
"""
_DEVICE = re.compile(r"auto|cpu|(cuda|xpu|mps)(:\d{1,3})?")

# Fences cannot be taken off again, so that a process of its own tries them on.
_FENCES = (
    "import json; from attn_kata.checker.process.fence import trial; print(json.dumps(trial()))"
)


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
    """Name the fences that the system does not offer; see `checker.process.fence`."""
    import json
    import subprocess

    command = [sys.executable, "-W", "ignore", "-c", _FENCES]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=20, check=True)
        return list(json.loads(answer.stdout))
    except (OSError, ValueError, subprocess.SubprocessError):
        return ["orphans", "files", "programs"]


def ask_cuda(device: str = "cuda") -> Cuda:
    """Ask torch, in another process, whether it finds a device and can compute on it."""
    import json
    import subprocess

    command = [sys.executable, "-W", "ignore", "-c", _QUESTION, device]
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
    kind = device.partition(":")[0].upper()
    if "name" in found:
        return Cuda(True, "cuda-found", {"name": found["name"]})
    if found["count"]:
        return Cuda(False, "cuda-no-index", {"kind": kind, "count": found["count"]})
    if found["reason"]:
        return Cuda(False, "cuda-no-start", {"kind": kind, "reason": found["reason"]})
    key = "cuda-no-device" if found["built"] else "cuda-not-built"
    return Cuda(False, key, {"kind": kind, "version": found["version"]})


def device_called(name: str) -> str:
    """Return a device's name as the judge takes it. Raise Refusal where it is none."""
    plain = name.strip().lower()
    if not _DEVICE.fullmatch(plain):
        raise Refusal("no-device", name=name, notes=(("devices", "devices-are"),))
    return plain


def require_device(name: str) -> None:
    """Raise Refusal with what was found, where a device that was asked for does not run."""
    if name in {"auto", "cpu"}:
        return
    found = ask_cuda(name)
    if not found.there:
        raise Refusal("device-missing", name=name, found=found, notes=(("how", "auto-pretends"),))
