"""In the candidate's process: run the file, and say which classes it defines."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import types
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from .operands import operands
from .signatures import signature

__all__ = ["Submission", "describe_exception", "plain", "strings_read"]

_NUMBERS = (int, float)
# How many tensors an exception tells of.
_TENSORS = 24
# A class's name as Python keeps it, whatever its own class makes of it.
_NAME = type.__dict__["__name__"].__get__
# Let go where memory ran out, so that there is enough to say so.
_SPARE = bytearray(16 << 20)


class Submission:
    """The file as it was run: its module, and where its lines are found again."""

    def __init__(self, source: str, path: str, package: str = "") -> None:
        self.source = source
        self.cells: list[list[int]] | None = None
        # What an edit raises is not told in full.
        self.brief = False
        self.path = path
        self.module = types.ModuleType("submission")
        self.module.__file__ = path
        self.module.__package__ = package
        # Dataclasses and pickling look their module up here while the file still loads.
        sys.modules["submission"] = self.module
        text_lines = [line + "\n" for line in source.split("\n")]
        linecache.cache[path] = (len(source), None, text_lines, path)

    @contextlib.contextmanager
    def edited(self, source: str) -> Generator[Submission]:
        """The file with another source, which is run without a word; "" for the file as it is."""
        if not source:
            yield self
            return
        null = os.open(os.devnull, os.O_WRONLY)
        for output in (1, 2):
            os.dup2(null, output)
        os.close(null)
        other = Submission(source, self.path, self.module.__package__ or "")
        other.brief = True
        other.execute(self.cells)
        yield other
        sys.modules["submission"] = self.module

    def execute(self, cells: list[list[int]] | None) -> dict[str, Any] | None:
        """Run the source; return a description of what it raised, or None.

        cells: for a notebook the first and last line of each code cell. Cells are run
        one after another as a notebook does, and one that raises does not stop the next.
        """
        self.cells = cells
        if cells is None:
            return self._execute(self.source)
        lines = self.source.split("\n")
        fault = None
        for first, last in cells:
            text = "\n" * (first - 1) + "\n".join(lines[first - 1 : last])
            ran = self._execute(text)
            # A cell that is no Python was told of when the file was read.
            fault = fault if ran is None or "SyntaxError" in ran["kinds"] else ran
        return fault

    def _execute(self, text: str) -> dict[str, Any] | None:
        try:
            code = compile(text, self.path, "exec", dont_inherit=True)
            exec(code, self.module.__dict__)  # noqa: S102 - running the file is the point
        except BaseException as exception:  # noqa: BLE001 - SystemExit is a finding too
            return describe_exception(exception, self.path)
        return None

    def told(self, exception: BaseException) -> dict[str, Any]:
        """What it raised, as `describe_exception` has it."""
        return describe_exception(exception, self.path, brief=self.brief)

    def classes(self) -> list[dict[str, Any]]:
        """Describe every class that the file itself defines, in the order of definition."""
        found: list[dict[str, Any]] = []
        for name, value in list(self.module.__dict__.items()):
            # A class may be of a kind that answers no question, and is none to be judged then.
            with contextlib.suppress(Exception):
                if _is_class(value) and self._defines(value):
                    found.append(_described(str(name), value, self.module.__dict__))
        return found

    def _defines(self, value: type) -> bool:
        """Whether a class is the file's own, also where it says that it comes from elsewhere."""
        own = [m.__code__ for m in value.__dict__.values() if type(m) is types.FunctionType]
        return value.__module__ == "submission" or any(
            code.co_filename == self.path for code in own
        )

    def sizes(self) -> list[dict[str, Any]]:
        """Name the module's numbers that its functions read: sizes kept in globals."""
        read = _names_read(self.module.__dict__.values())
        return [
            {"name": name, "value": value}
            for name, value in self.module.__dict__.items()
            if name in read and type(value) in _NUMBERS
        ]


def describe_exception(
    exception: BaseException, path: str, *, brief: bool = False
) -> dict[str, Any]:
    """Return an exception as data: its type, message and the candidate's own line.

    brief: without what the expression that raised was made of, which takes longest.
    """
    line = None
    tensors: list[dict[str, Any]] = []
    inner: types.TracebackType | None = None
    walk = exception.__traceback__
    while walk is not None:
        if walk.tb_frame.f_code.co_filename == path:
            inner = walk
        walk = walk.tb_next
    if inner is not None:
        line, tensors = inner.tb_lineno, _tensors_in(inner.tb_frame)
    if isinstance(exception, SyntaxError) and exception.filename == path:
        line = exception.lineno
    if isinstance(exception, MemoryError):
        _SPARE.clear()
    try:
        message = str(exception)[:4000]
    except BaseException:  # noqa: BLE001 - its __str__ is the candidate's
        message = "<an exception whose message cannot be made>"
    kinds = [_name(kind) for kind in type.mro(type(exception))[:-1]]
    return {
        "type": kinds[0],
        "kinds": kinds,
        "message": plain(message),
        "line": line,
        "tensors": tensors,
        "made_of": None if brief else _made_of(exception, inner),
    }


def _made_of(exception: BaseException, inner: types.TracebackType | None) -> dict[str, Any] | None:
    """What the expression that raised was made of, where it is one that does not fit."""
    if inner is None or not isinstance(
        exception, (RuntimeError, TypeError, IndexError, ValueError)
    ):
        return None
    return operands(inner.tb_frame, inner.tb_lineno, inner.tb_lasti)


def _tensors_in(frame: types.FrameType) -> list[dict[str, Any]]:
    """The tensors that a frame can name, with their shapes and dtypes."""
    held = dict(frame.f_locals)
    owner = held.get("self")
    if issubclass(type(owner), nn.Module):
        buffers = vars(owner).get("_buffers") or {}
        held |= {f"self.{name}": tensor for name, tensor in buffers.items()}
    return [
        {
            "name": plain(str(name))[:200],
            "shape": list(value.shape),
            "dtype": str(value.dtype).removeprefix("torch."),
        }
        for name, value in held.items()
        # Not isinstance, which asks the value itself.
        if type(value) in {torch.Tensor, nn.Parameter}
    ][:_TENSORS]


def plain(text: str) -> str:
    """Return a text that can be written in UTF-8, halves of characters spelt out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _is_class(value: Any) -> bool:
    # Not isinstance, which asks the value itself.
    return issubclass(type(value), type)


def _name(kind: type) -> str:
    return plain(_NAME(kind))[:200]


def _described(name: str, value: type, namespace: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": plain(name),
        "module": issubclass(value, nn.Module),
        "line": _line_of(value),
        "bases": [_name(base) for base in value.__mro__[1:-1]],
        "constructor": signature(value.__init__, namespace),
        "arguments": signature(_forward_of(value), namespace),
    }


def _line_of(value: type) -> int | None:
    for name in ("forward", "__call__", "__init__"):
        function = value.__dict__.get(name)
        code = getattr(function, "__code__", None)
        if code is not None:
            return code.co_firstlineno
    return None


def _forward_of(value: type) -> Any:
    if issubclass(value, nn.Module) or hasattr(value, "forward"):
        return getattr(value, "forward", None)
    return getattr(value, "__call__", None)  # noqa: B004 - its signature is wanted


def strings_read(values: Iterable[Any]) -> set[str]:
    """The strings in a module's functions and the keys of its dicts: settings' names, perhaps."""
    values = list(values)
    keys = {key for value in values if issubclass(type(value), dict) for key in value}
    consts = {const for code in _codes(values) for const in code.co_consts}
    return {text for text in keys | consts if isinstance(text, str) and text.isidentifier()}


def _names_read(values: Iterable[Any]) -> set[str]:
    return {name for code in _codes(values) for name in code.co_names}


def _codes(values: Iterable[Any]) -> Iterator[types.CodeType]:
    """Every code object of the submission's own functions and methods."""
    codes: list[types.CodeType] = []
    for value in values:
        with contextlib.suppress(Exception):
            if type(value) is types.FunctionType and value.__module__ == "submission":
                codes.append(value.__code__)
            elif _is_class(value) and value.__module__ == "submission":
                members = value.__dict__.values()
                codes.extend(m.__code__ for m in members if type(m) is types.FunctionType)
    while codes:
        code = codes.pop()
        yield code
        codes.extend(const for const in code.co_consts if isinstance(const, types.CodeType))
