"""What an answer must be before the judge reads it: of its type, and as much as was asked for.

A candidate's process answers whatever its code makes it answer. Here only the form is
held: what an answer says is compared with behaviour elsewhere.
"""

from __future__ import annotations

from typing import Any

from . import answers
from .answers import Described, Pretended, Raised, Ran
from .forms import decode
from .wire import Garbled

__all__ = ["Answer", "out_of_memory", "understood", "whose_memory"]

_NO_DEVICE_MEMORY = ("CUDA out of memory", "XPU out of memory", "MPS backend out of memory")
_NO_MEMORY = ("can't allocate memory", "not enough memory", *_NO_DEVICE_MEMORY)

Answer = (
    answers.Loaded
    | answers.Described
    | answers.Ran
    | answers.Functions
    | answers.Lap
    | answers.Started
    | answers.Pretended
)
_KINDS: dict[str, type[Answer]] = {
    "load": answers.Loaded,
    "describe": answers.Described,
    "run": answers.Ran,
    "functions": answers.Functions,
    "prepare": answers.Lap,
    "lap": answers.Lap,
    "start": answers.Started,
    "pretend": answers.Pretended,
}


def understood(request: dict[str, Any], received: Any) -> Answer:
    """Make an answer of what came back. Raise Garbled where it is none to this request."""
    answer = decode(_KINDS[request["do"]], received)
    if not _answers(request, answer):
        raise Garbled(f"too much or too little of an answer to {request['do']}")
    return answer


def _answers(request: dict[str, Any], answer: Answer) -> bool:
    """Whether an answer has as many parts as were asked for, and each of them what it must."""
    if isinstance(answer, Described):
        wanted, got = len(request["tries"]), len(answer.answers)
        right = 0 < got <= wanted if request["first_good"] else got == wanted
        return right and all(one.whole for one in answer.answers)
    if isinstance(answer, Ran):
        runs, results = request["runs"], answer.results
        return len(runs) == len(results) and all(
            result.fault is not None or len(result.answers) == len(run["calls"])
            for run, result in zip(runs, results, strict=True)
        )
    if isinstance(answer, Pretended):
        told = all(one.fault is not None for one in answer.answers if one.kind)
        return told and len(answer.answers) == len(request["calls"])
    return True


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
