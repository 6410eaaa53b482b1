"""What an answer must be before the judge reads it: of its type, and as much as was asked for.

A candidate's process answers whatever its code makes it answer. Here only the form is
held: what an answer says is compared with behaviour elsewhere.
"""

from __future__ import annotations

from typing import Any, TypeVar

from .answers import Raised
from .forms import decode
from .requests import Request
from .wire import Garbled

__all__ = ["out_of_memory", "understood", "whose_memory"]

_Answer = TypeVar("_Answer")

_NO_DEVICE_MEMORY = ("CUDA out of memory", "XPU out of memory", "MPS backend out of memory")
_NO_MEMORY = ("can't allocate memory", "not enough memory", *_NO_DEVICE_MEMORY)


def understood(request: Request[_Answer], received: Any) -> _Answer:
    """Make an answer of what came back. Raise Garbled where it is none to this request."""
    answer: _Answer = decode(request.answer, received)
    if not request.whole(answer):
        raise Garbled(f"too much or too little of an answer to {type(request).__name__}")
    return answer


def out_of_memory(answer: Any) -> Raised | None:
    """Return the first fault of an answer that is for want of memory."""
    parts = [answer]
    while parts:
        part = parts.pop(0)
        fault = getattr(part, "fault", None)
        if fault and (
            "MemoryError" in fault.kinds or any(text in fault.message for text in _NO_MEMORY)
        ):
            return fault
        parts += getattr(part, "answers", [])
        parts += getattr(part, "results", [])
    return None


def whose_memory(fault: Raised) -> str:
    """Say of a fault for want of memory whether it was the accelerator's: `device-memory`."""
    return "device-memory" if any(t in fault.message for t in _NO_DEVICE_MEMORY) else ""
