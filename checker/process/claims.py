"""What an answer must look like before the judge reads it.

A candidate's process answers whatever its code makes it answer. Here only the form is
held: what an answer says is compared with behaviour elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .wire import Garbled

__all__ = ["check", "out_of_memory", "whose_memory"]

_NO_DEVICE_MEMORY = ("CUDA out of memory", "XPU out of memory", "MPS backend out of memory")
_NO_MEMORY = ("can't allocate memory", "not enough memory", *_NO_DEVICE_MEMORY)


_Test = Callable[[Any], bool]


class _Any:
    """Every value, where its reader looks for itself."""


class _Named:
    """A mapping from any name to one form."""

    def __init__(self, form: Any) -> None:
        self.form = form


# A form is a type, None, a tuple of alternatives, a list of one form, or a dictionary of
# fields; a field with a question mark may be absent.
_LINE = (int, None)
_TENSOR = (Tensor, None)
_FAULT = {"type": str, "kinds": [str], "message": str, "line": _LINE, "phase?": str,
          "tensors": [{"name": str, "shape": [int], "dtype": str}],
          "made_of": ({"call": str, "text": str,
                       "parts": [{"text": str, "shape": [int], "dtype": str}]}, None)}  # fmt: skip
_PARAMETER = {
    "name": str,
    "kind": str,
    "has_default": bool,
    "default": (int, float, bool, str, None),
    "annotation": str,
}
_CLASS = {
    "name": str,
    "module": bool,
    "line": _LINE,
    "bases": [str],
    "constructor": ([_PARAMETER], None),
    "forward": ([_PARAMETER], None),
}
_STEP = {
    "call": str,
    "line": _LINE,
    "numbers": [float],
    "shapes": [[int]],
    "shape": ([int], None),
    "lines": [int],
    "weights": [str],
    "dtype": (str, None),
    "values?": [Tensor],
    "marks?": [Tensor],
    "module?": (str, None),
    "spelt?": str,
    "fresh?": int,
    "derives?": bool,
}
_DROPOUT = {
    "p": float,
    "training": bool,
    "line": _LINE,
    "module": (str, None),
    "shape": [int],
    "input?": Tensor,
    "?": _Any,
}
_CALL = {
    "out?": _TENSOR,
    "container?": (str, None),
    "place?": int,
    "attached?": bool,
    "grads?": _Named(_TENSOR),
    "input_grads?": _Named(_TENSOR),
    "jacobian?": Tensor,
    "fault?": _FAULT,
    "steps?": [_STEP],
    "dropouts?": [_DROPOUT],
    "modified": [str],
    "outs?": [Tensor],
    "many?": int,
    "strides?": [int],
    "contiguous?": bool,
    "shares?": [str],
    "entries?": int,
    "carried?": str,
    "held?": int,
}
_FUNCTION = {
    "name": str,
    "line": _LINE,
    "arguments": ([_PARAMETER], None),
}
_TRY = {
    **_CALL,
    "modified?": [str],
    "phase": str,
    "printed": [_LINE],
    "fits?": bool,
    "answer?": _CALL,
    "registered?": _Named([int]),
    "hidden?": _Named([int]),
    "modules?": [[str]],
    "plain?": [str],
}
del _TRY["modified"]
_FORMS: dict[str, Any] = {
    "load": {
        "fault": (_FAULT, None),
        "classes": [_CLASS],
        "sizes": [{"name": str, "whole": bool}],
    },
    "describe": {"answers": [_TRY]},
    "run": {
        "results": [{"fault?": _FAULT, "answers?": [_CALL], "made?": [_STEP]}],
        "printed": [_LINE],
    },
    "functions": {"functions": [_FUNCTION]},
    "prepare": {"seconds?": float, "bytes?": (int, None), "events?": int, "fault?": _FAULT},
    "lap": {"seconds?": float, "fault?": _FAULT},
    "start": {"reason?": str, "place?": str, "name?": str, "count?": int},
    "pretend": {"answers": [{"fault?": _FAULT, "kind?": str, "name?": str, "line?": _LINE}]},
}


def check(request: dict[str, Any], answer: Any) -> None:
    """Raise Garbled where an answer has not the form, or the number of parts, asked for."""
    asked = request["do"]
    if not _TESTS[asked](answer):
        raise Garbled(f"no answer to {asked}")
    if asked == "describe":
        wanted, got = len(request["tries"]), len(answer["answers"])
        right = 0 < got <= wanted if request["first_good"] else got == wanted
        right = right and all(map(_whole_try, answer["answers"]))
    elif asked == "run":
        runs, results = request["runs"], answer["results"]
        right = len(runs) == len(results) and all(
            "fault" in result or len(result.get("answers", ())) == len(run["calls"])
            for run, result in zip(runs, results, strict=False)
        )
    else:
        right = asked != "pretend" or len(answer["answers"]) == len(request["calls"])
    if not right:
        raise Garbled(f"too much or too little of an answer to {asked}")


def out_of_memory(answer: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first fault of an answer that is for want of memory."""
    parts = [answer]
    while parts:
        part = parts.pop(0)
        fault = part.get("fault")
        if fault and (
            "MemoryError" in fault["kinds"] or any(text in fault["message"] for text in _NO_MEMORY)
        ):
            return fault
        parts += part.get("answers", [])
        parts += part.get("results", [])
    return None


def whose_memory(fault: dict[str, Any]) -> str:
    """Say of a fault for want of memory whether it was the accelerator's: `device-memory`."""
    return "device-memory" if any(t in fault["message"] for t in _NO_DEVICE_MEMORY) else ""


def _whole_try(answer: dict[str, Any]) -> bool:
    """Whether a try says what its phase must."""
    if answer["phase"] != "done":
        return answer["phase"] in {"construct", "forward"} and "fault" in answer
    names = ("fits", "answer", "registered", "hidden", "modules", "plain")
    return all(name in answer for name in names) and "out" in answer["answer"]


def _test(form: Any) -> _Test:
    """Make a form into a function, since hundreds of answers have the same one."""
    if form is _Any:
        return lambda _: True
    if form is None:
        return lambda value: value is None
    if form is float:
        return lambda value: type(value) is float or type(value) is int
    if isinstance(form, type):
        return lambda value: type(value) is form
    if isinstance(form, tuple):
        tests = [_test(one) for one in form]
        return lambda value: any(test(value) for test in tests)
    if isinstance(form, list):
        each = _test(form[0])
        return lambda value: type(value) is list and all(map(each, value))
    if isinstance(form, _Named):
        each = _test(form.form)
        return lambda value: type(value) is dict and all(map(each, value.values()))
    return _fields(form)


def _fields(form: dict[str, Any]) -> _Test:
    needed = {name for name in form if not name.endswith("?")}
    tests = {name.removesuffix("?"): _test(one) for name, one in form.items()}
    other = tests.get("", lambda _: False)

    def fits(value: Any) -> bool:
        return (
            type(value) is dict
            and needed <= value.keys()
            and all(tests.get(name, other)(item) for name, item in value.items())
        )

    return fits


_TESTS = {asked: _test(form) for asked, form in _FORMS.items()}
