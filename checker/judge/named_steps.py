"""What a model answer names on the way: compiled so that each of its functions says so itself.

Python's own hook for that is called at each call of torch's too, which takes as long as they do.
"""

from __future__ import annotations
import __future__

import ast
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from inspect import currentframe, unwrap
from types import CodeType, FrameType
from typing import Any

import torch
from torch import Tensor

from .passages import passages

__all__ = ["STEPS", "NamedSteps", "noted", "scope_of", "telling"]

# Under this a model answer's globals hold who listens; nobody, as it is made.
STEPS = "__steps__"


class NamedSteps:
    """The tensors that a call of a model answer and of its helpers bind to names.

    ordered: what a caller has named stands before what is named in what it calls, and what each
    call of a function names stands there, not only what the last one does.
    """

    def __init__(self, *, ordered: bool) -> None:
        self.ordered = ordered
        self.found: dict[str, Tensor] = {}
        self.calls: Counter[str] = Counter()

    def begun(self) -> None:
        """A function was called: what its caller has named by now comes first."""
        if not self.ordered:
            return
        here = currentframe()
        inner = outer = here.f_back if here is not None else None
        while outer is not None and (outer is inner or not _of_one_file(outer, inner)):
            outer = outer.f_back
        for name, value in {} if outer is None else outer.f_locals.items():
            if isinstance(value, Tensor):
                self.found.setdefault(name, value.detach())

    def done(self, named: dict[str, Any], arguments: tuple[str, ...]) -> None:
        """A function has ended, by itself or by what it raised. named: its local names."""
        for name, value in named.items():
            if isinstance(value, Tensor) and name not in arguments:
                key = f"{name} {self.calls[name]}" if self.ordered and self.calls[name] else name
                held = self.found.get(key) if self.ordered else None
                if held is not None and not torch.equal(held, value):
                    # What was bound anew stands where it was bound last.
                    del self.found[key]
                self.found[key] = value.detach()
                self.calls[name] += 1


def _of_one_file(one: FrameType, other: FrameType | None) -> bool:
    return other is not None and one.f_code.co_filename == other.f_code.co_filename


def scope_of(answer: Callable[..., Any]) -> dict[str, Any]:
    """The globals of the text that a function or class of a model answer was made of."""
    # What `torch.no_grad` puts around a function has torch's.
    return unwrap(getattr(answer, "forward", answer)).__globals__


@contextmanager
def noted(answer: Callable[..., Any], steps: NamedSteps | None) -> Generator[None]:
    """Have what a model answer names told to these steps meanwhile; to nobody for None."""
    scope = scope_of(answer)
    scope[STEPS] = steps
    try:
        yield
    finally:
        scope[STEPS] = None


def telling(source: str, file: str, original: str = "") -> list[CodeType]:
    """Compile a model answer's text so that its functions say what they name. Raise SyntaxError.

    It is to be run in the parts that are returned; those that an original has are kept.
    """
    return [_compiled(part, file) for part in passages(source, original)]


@lru_cache(maxsize=1024)
def _compiled(source: str, file: str) -> CodeType:
    tree = ast.parse(source, file)
    for function in [*_functions(tree.body)]:
        taken = function.args
        names = tuple(one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs))
        first, last = (
            _said(f"if {STEPS}: {STEPS}.begun()"),
            _said(f"if {STEPS}: {STEPS}.done(locals(), {names!r})"),
        )
        whole = ast.Try(body=function.body, handlers=[], orelse=[], finalbody=[last])
        function.body = [first, ast.copy_location(whole, function.body[0])]
    # As in a file of its own, annotations are not evaluated.
    return compile(
        tree, file, "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True
    )


def _functions(body: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The functions of a body, and those within others: of expressions there are too many."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node
        for field in ("body", "orelse", "finalbody"):
            yield from _functions(getattr(node, field, ()))


@lru_cache(maxsize=256)
def _said(text: str) -> ast.stmt:
    """A statement, which may stand in many places: every answer's, edited anew each time."""
    return ast.parse(text).body[0]
