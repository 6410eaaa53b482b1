"""Time and memory of one call, taken in the process that makes it.

The same watch runs in the candidate's process and in the one that holds the model answer, so
that like is held against like.
"""

from __future__ import annotations

import ctypes
import math
import resource
import time
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import torch
from torch.autograd import profiler

__all__ = ["Stopwatch", "keep_memory"]

# mallopt's numbers, from malloc.h, and the largest value of the second.
_TRIM, _MMAP_MOST, _NEVER = -1, -4, 2**31 - 1
_adjust: Any = getattr(ctypes.CDLL(None), "mallopt", None)

# A lap takes as many calls as fill this many seconds, so that the clock's grain and the way
# to the judge and back do not count, as long as that is no longer than this by the clock on the
# wall, which a call that waits uses up; a call that takes this long warms up only once.
_LAP, _LONG = 0.005, 0.5
_MOST_CALLS = 1000

# Bound before any submission runs: what it puts in their place is its own affair.
_usage, _self, _clock = resource.getrusage, resource.RUSAGE_SELF, time.monotonic
_no_grad, _cuda = torch.no_grad, torch.cuda
# torch has no public way to listen to its allocator alone. As its profiler's context manager is
# entered, every operator is noted too, half a microsecond and a kilobyte each; told of a scope
# in which nothing of torch runs, it notes what memory is taken and given back and no more.
_inner: Any = profiler
_start, _stop = (getattr(_inner, name, None) for name in ("_enable_profiler", "_disable_profiler"))
_scopes: Any = getattr(getattr(torch._C, "_profiler", None), "RecordScope", None)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
_profile: Any = profiler.profile


def keep_memory() -> None:
    """Have this process keep the memory that it gives back, as torch does on CUDA.

    Else some large tensors are the system's fresh pages each time and some are not, by what
    the process did before: the same code then takes twice as long in one process as in another.
    """
    if _adjust is not None:
        _adjust(_MMAP_MOST, 0)
        _adjust(_TRIM, _NEVER)


def _now() -> float:
    """Return this process's processor time in seconds.

    The clock of `time.process_time` goes by the scheduler's ticks where the processor time is
    limited, as a candidate's is.
    """
    used = _usage(_self)
    return used.ru_utime + used.ru_stime


class Stopwatch:
    """Times one call again and again, without gradients. device: as torch writes it.

    On the CPU it is processor time that counts: with one thread at work that is the clock's
    time where nobody else is at work, and on a busy machine it is what the clock's time is not,
    repeatable.
    """

    def __init__(self, call: Callable[[], Any], device: str) -> None:
        self.call = call
        self.device = torch.device(device)
        self.cuda = self.device.type == "cuda"
        self.calls = 1

    def settle(self) -> float:
        """Warm up, choose how many calls a lap has, and return one call's seconds."""
        seconds = self.lap()
        if not self.cuda and seconds >= _LONG:
            return seconds
        begun = _clock()
        enough = math.ceil(_LAP / max(self.lap(), 1e-9))
        bearable = int(_LONG / max(_clock() - begun, 1e-9))
        self.calls = max(1, min(_MOST_CALLS, enough, bearable))
        return self.lap()

    def lap(self) -> float:
        """Return the seconds that one call takes, the mean of a lap's."""
        with _no_grad():
            seconds = self._on_cuda() if self.cuda else self._on_cpu()
        return seconds / self.calls

    def _on_cpu(self) -> float:
        call, start = self.call, _now()
        for _ in range(self.calls):
            call()
        return _now() - start

    def _on_cuda(self) -> float:
        """Let the GPU take the time, since a call returns before it has run."""
        with _cuda.device(self.device):
            begun, ended = _cuda.Event(enable_timing=True), _cuda.Event(enable_timing=True)
            _cuda.synchronize()
            begun.record()
            for _ in range(self.calls):
                self.call()
            ended.record()
            _cuda.synchronize()
        return begun.elapsed_time(ended) / 1000

    def peak(self) -> tuple[int | None, int]:
        """Return the most bytes that one call has alive at once, and how many it asked for it.

        What was there before the call does not count. On the CPU, torch's allocator is
        listened to: each tensor taken and given back, so that the sum is exact. Memory that is
        not torch's (NumPy's, a library's own buffers) is not in it. None where this torch cannot
        be listened to. On CUDA it is torch's count, and the second number is 0.
        """
        with _no_grad():
            return self._cuda_peak() if self.cuda else self._cpu_peak()

    def _cuda_peak(self) -> tuple[int, int]:
        with _cuda.device(self.device):
            _cuda.synchronize()
            _cuda.reset_peak_memory_stats()
            before = _cuda.memory_allocated()
            self.call()
            _cuda.synchronize()
            return _cuda.max_memory_allocated() - before, 0

    def _cpu_peak(self) -> tuple[int | None, int]:
        if _start is None or _stop is None or _scopes is None:
            return None, 0
        profile = _profile(profile_memory=True)
        profile._prepare_trace()  # noqa: SLF001
        _start(profile.config(), profile.kineto_activities, {_scopes.USER_SCOPE})
        try:
            self.call()
        finally:
            found = _stop()
        taken = [event.nbytes() for event in found.events() if event.name() == "[memory]"]
        return max(accumulate(taken, initial=0)), len(taken)
