"""In the candidate's process: what is set up around its code, and put back afterwards."""

from __future__ import annotations

import builtins
import os
import signal
import sys
import warnings
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import torch
from torch._C import (
    _set_deterministic_algorithms,  # pyright: ignore[reportPrivateUsage] - see Restored
)

from ..process.prints import CALL_MARK
from .accelerator import answer_as
from .frames import caller
from .loading import Submission
from .pretended_gpu import HOME

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


_WITH_GPU = answer_as(cuda=True)


class GPUMachine:
    """Let code that asks whether there is a GPU take the branch of a machine that has one.

    What was worked out as the file loaded, `device = "cuda" if … else "cpu"` in the module, in a
    class or as an argument's default, is turned too.
    """

    def __init__(self, submission: Submission) -> None:
        self.asks = any(word in submission.source for word in ("is_available", "device_count"))
        self.held: dict[str, Any] = submission.module.__dict__
        self.undo: list[tuple[Callable[..., Any], Any, str, Any]] = []

    def __enter__(self) -> None:
        for owner, name, answer in _WITH_GPU:
            self._turn(setattr, owner, name, getattr(owner, name), answer)
        if not self.asks:
            return
        self._turn_names(dict.__setitem__, self.held, self.held)
        for value in list(self.held.values()):
            if type(value) is FunctionType:
                self._turn_defaults(value)
            elif issubclass(type(value), type) and value.__module__ == "submission":
                self._turn_names(setattr, value, vars(value))
                for member in list(vars(value).values()):
                    if type(member) is FunctionType:
                        self._turn_defaults(member)

    def _turn_names(self, put: Callable[..., Any], owner: Any, names: Mapping[str, Any]) -> None:
        for name, value in list(names.items()):
            if _says_cpu(value):
                self._turn(put, owner, name, value, HOME)

    def _turn_defaults(self, function: FunctionType) -> None:
        for name in ("__defaults__", "__kwdefaults__"):
            old = getattr(function, name)
            if isinstance(old, tuple):
                new: Any = tuple(HOME if _says_cpu(value) else value for value in old)
            elif isinstance(old, dict):
                new = {key: HOME if _says_cpu(value) else value for key, value in old.items()}
            else:
                continue
            self._turn(setattr, function, name, old, new)

    def _turn(
        self, put: Callable[..., Any], owner: Any, name: str, old: object, new: object
    ) -> None:
        put(owner, name, new)
        self.undo.append((put, owner, name, old))

    def __exit__(self, *_: object) -> None:
        while self.undo:
            put, owner, name, old = self.undo.pop()
            put(owner, name, old)


def _says_cpu(value: object) -> bool:
    return type(value) in {str, torch.device} and str(value) == "cpu"


class PrintWatch:
    """Note the line of each print that the candidate's own file makes, and mark each call's first.

    calls: how many calls were begun, this one included.
    """

    def __init__(self, path: str, lines: list[int | None], calls: Callable[[], int]) -> None:
        self.path = path
        self.lines = lines
        self.calls = calls

    def __enter__(self) -> None:
        path, lines, calls = self.path, self.lines, self.calls
        marked = -1

        def watched(*args: Any, **kwargs: Any) -> None:
            nonlocal marked
            if marked != calls():
                marked = calls()
                _print(CALL_MARK, end="")
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

    empty: whether tensors that are made empty hold NaN, so that what no kernel writes shows.
    """

    def __init__(self) -> None:
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        self.empty = False
        self.dtype = torch.get_default_dtype()
        self.cwd = _cwd_or_root()
        self.environment = dict(_environment)
        self.warnings = list(warnings.filters)
        self.depth = sys.getrecursionlimit()
        self.streams = sys.stdin, sys.stdout, sys.stderr
        self.builtins = dict(_builtins)
        self.handlers = {number: signal.getsignal(number) for number in _SIGNALS}

    def __enter__(self) -> None:
        """Only what empty tensors hold; what is put back was noted before."""
        if self.empty:
            _set_deterministic_algorithms(True, warn_only=True)

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

    def keep_environment(self) -> None:
        """Keep what was set since, for all calls that follow."""
        self.environment = dict(_environment)

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
