"""In the candidate's process: what is set up around its code, and put back afterwards."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import warnings
from typing import Any

import torch
from torch._C import (
    _set_deterministic_algorithms,  # pyright: ignore[reportPrivateUsage] - see Restored
)

from .frames import caller
from .loading import Submission

__all__ = ["GPUMachine", "PrintWatch", "Restored"]

# Bound before any submission runs: what it puts in their place is its own affair.
_print = builtins.print
_builtins: dict[str, Any] = builtins.__dict__
_set_dtype, _set_device = torch.set_default_dtype, torch.set_default_device
_set_grad, _set_anomaly = torch.set_grad_enabled, torch.autograd.set_detect_anomaly
_threads, _set_threads = torch.get_num_threads, torch.set_num_threads
_is_deterministic = torch.are_deterministic_algorithms_enabled
_cwd, _chdir = os.getcwd, os.chdir
_depth, _set_depth, _trace, _set_trace = (
    sys.getrecursionlimit, sys.setrecursionlimit, sys.gettrace, sys.settrace
)  # fmt: skip
_handler, _handle, _set_timer = signal.getsignal, signal.signal, signal.setitimer
# As the system holds it: to compare it name by name would decode it every time.
_environment: dict[Any, Any] = vars(os.environ)["_data"]
_SIGNALS = (
    signal.SIGALRM, signal.SIGCHLD, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM,
    signal.SIGUSR1, signal.SIGVTALRM, signal.SIGPROF,
)  # fmt: skip


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
        path, lines = self.path, self.lines

        def watched(*args: Any, **kwargs: Any) -> None:
            frame = caller()
            if frame is not None and frame.f_code.co_filename == path and len(lines) < 100:
                lines.append(frame.f_lineno)
            _print(*args, **kwargs)

        builtins.print = watched  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        builtins.print = _print


class Restored:
    """Puts the process's global state back after the submission's code has run.

    Everything becomes as it was when this was made, before any of that code ran, so that
    what one case changes does not reach the next. One instance serves a process.
    """

    def __init__(self) -> None:
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        self.dtype = torch.get_default_dtype()
        self.cwd = _cwd_or_root()
        self.environment = dict(_environment)
        self.warnings = list(warnings.filters)
        self.depth = sys.getrecursionlimit()
        self.streams = sys.stdin, sys.stdout, sys.stderr
        self.builtins = dict(_builtins)
        self.handlers = {number: signal.getsignal(number) for number in _SIGNALS}

    def __enter__(self) -> None:
        """Nothing: what is put back was noted before."""

    def __exit__(self, *_: object) -> None:
        self._python()
        _set_dtype(self.dtype)
        _set_device(None)
        _set_grad(True)
        _set_anomaly(False)
        if _threads() != 1:
            _set_threads(1)
        if _is_deterministic():
            # The public switch would import the compiler, a second and more.
            _set_deterministic_algorithms(False, warn_only=False)

    def _python(self) -> None:
        if _builtins != self.builtins:
            for name, value in self.builtins.items():
                setattr(builtins, name, value)
        if _depth() != self.depth:
            _set_depth(self.depth)
        sys.stdin, sys.stdout, sys.stderr = self.streams
        if _trace() is not None:
            _set_trace(None)
        _set_timer(signal.ITIMER_REAL, 0)
        for number, handler in self.handlers.items():
            if _handler(number) is not handler:
                _handle(number, handler)
        if warnings.filters != self.warnings:
            warnings.resetwarnings()
            warnings.simplefilter("ignore")
        if _environment != self.environment:
            os.environ.clear()
            os.environ.update(map(_decoded, self.environment.items()))
        self._place()

    def _place(self) -> None:
        try:
            if _cwd() != self.cwd:
                _chdir(self.cwd)
        except OSError:
            _chdir("/")


def _cwd_or_root() -> str:
    try:
        return _cwd()
    except OSError:
        return "/"


def _decoded(entry: tuple[Any, Any]) -> tuple[str, str]:
    return os.fsdecode(entry[0]), os.fsdecode(entry[1])
