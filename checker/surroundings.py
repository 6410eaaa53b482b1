"""In the candidate's process: what is set up around its code, and put back afterwards."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from typing import Any

import torch
from torch._C import (
    _set_deterministic_algorithms,  # pyright: ignore[reportPrivateUsage] - see Restored
)

from .frames import caller
from .loading import Submission

__all__ = ["GPUMachine", "PrintWatch", "Restored"]


class GPUMachine:
    """Let code that asks whether there is a GPU take the branch of a machine that has one."""

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.old: dict[str, Any] = {}

    def __enter__(self) -> None:
        self.real = torch.cuda.is_available
        torch.cuda.is_available = lambda: True
        if "is_available" not in self.submission.source:
            return
        held = self.submission.module.__dict__
        for name, value in held.items():
            if isinstance(value, (str, torch.device)) and str(value) == "cpu":
                self.old[name] = value
        held.update(dict.fromkeys(self.old, torch.device("cuda:0")))

    def __exit__(self, *_: object) -> None:
        torch.cuda.is_available = self.real
        self.submission.module.__dict__.update(self.old)


class PrintWatch:
    """Note the line of each print that the candidate's own file makes."""

    def __init__(self, path: str, lines: list[int | None]) -> None:
        self.path = path
        self.lines = lines

    def __enter__(self) -> None:
        self.real = real = builtins.print
        path, lines = self.path, self.lines

        def watched(*args: Any, **kwargs: Any) -> None:
            frame = caller()
            if frame is not None and frame.f_code.co_filename == path and len(lines) < 100:
                lines.append(frame.f_lineno)
            real(*args, **kwargs)

        builtins.print = watched  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        builtins.print = self.real


class Restored:
    """Put global torch state back after the candidate's code has run."""

    def __enter__(self) -> None:
        self.dtype = torch.get_default_dtype()
        self.cwd = Path.cwd()

    def __exit__(self, *_: object) -> None:
        torch.set_default_dtype(self.dtype)
        torch.set_default_device(None)
        torch.set_grad_enabled(True)
        if torch.are_deterministic_algorithms_enabled():
            # The public switch would import the compiler, a second and more.
            _set_deterministic_algorithms(False, warn_only=False)
        try:
            os.chdir(self.cwd)
        except OSError:
            os.chdir("/")
