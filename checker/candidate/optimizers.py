"""Let torch's optimizers run without the compiler, whose import takes seconds.

`torch.optim` imports `torch._dynamo` as its first optimizer is made, to say that optimizers are not
to be compiled. Nothing is compiled here; whoever asks for more of the compiler gets the whole.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

__all__ = ["without_compiler"]

_NAME = "torch._dynamo"


def without_compiler() -> None:
    """Put what optimizers ask of the compiler in its place, unless it is there already."""
    if _NAME not in sys.modules:
        sys.modules[_NAME] = stand_in = _Compiler(_NAME)
        torch._dynamo = stand_in  # type: ignore[attr-defined, assignment] # noqa: SLF001 # pyright: ignore[reportAttributeAccessIssue]


class _Compiler(ModuleType):
    """What optimizers use of `torch._dynamo`; anything else is taken from the real one."""

    @staticmethod
    def graph_break(*_: Any, **__: Any) -> None:
        """Do nothing: there is no graph."""

    @staticmethod
    def disable(fn: Any, *_: Any, **__: Any) -> Any:
        """Return what is not to be compiled as it is."""
        return fn

    def __getattr__(self, name: str) -> Any:
        # Whoever walks over all modules (inspect does) asks each for `__file__`, in the middle of
        # other imports too; only an import of something below asks for `__path__`.
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules.get(_NAME) is self:
            del sys.modules[_NAME]
        return getattr(import_module(_NAME), name)
