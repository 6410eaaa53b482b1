"""Accelerators: whether one may be there, how to take hold of it, and how to hide it.

Only a candidate's process ever speaks to a driver, since what has spoken to one cannot be
forked any more. The judge looks at files alone; `start` says whether there is more to it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Accelerator", "NoStart", "answer_as", "hide", "hoped", "is_built", "start"]

# What a driver makes, without which asking torch is in vain: NVIDIA's, WSL's, AMD's, Jetson's.
_DRIVERS = {
    "cuda": ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "/dev/nvmap"),
    "xpu": ("/dev/dri",),
}
# With less than this free, a failed allocation would say nothing about the submission.
_FREE = 512 << 20

# Bound before any submission runs: what it puts in their place is its own affair.
_set_precision = torch.set_float32_matmul_precision
_matmul: Any = torch.backends.cuda.matmul
_convolutions: Any = torch.backends.cudnn


class NoStart(Exception):
    """No device to run on. Its text is the reason, empty where torch plainly sees none.

    count: how many there are, where the one that was asked for is not among them, else 0.
    """

    def __init__(self, reason: str, count: int = 0) -> None:
        super().__init__(reason)
        self.count = count


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """A device that a process has taken hold of. count: how many of its kind there are."""

    place: torch.device
    name: str
    count: int
    seed: Callable[[int], Any]

    def exact(self, *, tf32: bool) -> None:
        """Have products of float32 made of float32, or of tf32; sums of halves in float32.

        torch has convolutions made of tf32 where nobody says otherwise.
        """
        _set_precision("high" if tf32 else "highest")
        _convolutions.allow_tf32 = tf32
        _matmul.allow_fp16_reduced_precision_reduction = False
        _matmul.allow_bf16_reduced_precision_reduction = False


def hoped(asked: str) -> str | None:
    """Name the device worth asking a candidate's process for, None where there is none.

    asked: `auto`, `cpu` or a device's name. Speaks to no driver. Metal does not survive a
    fork on macOS, so that mps is tried only where it is asked for by name.
    """
    if asked != "auto":
        return None if asked == "cpu" else asked
    for kind, files in _DRIVERS.items():
        if is_built(kind) and any(map(os.path.exists, files)):
            return kind
    return None


def is_built(kind: str) -> bool:
    """Whether this torch knows a kind of accelerator at all."""
    if kind == "cuda":
        return torch.backends.cuda.is_built()
    return bool(getattr(torch._C, f"_has_{kind}", False))  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public one in torch 2.2


def start(asked: str) -> Accelerator:
    """Take hold of a device and have it compute something. Raise NoStart where it does not."""
    place = torch.device(asked)
    place = torch.device(place.type, place.index or 0)
    kind = place.type
    library: Any = getattr(torch, kind, None)
    if library is None or not is_built(kind):
        raise NoStart("")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        there = torch.backends.mps.is_available() if kind == "mps" else library.is_available()
    if not there:
        raise NoStart(_plain(str(said[-1].message)) if said else "")
    try:
        count = library.device_count() if hasattr(library, "device_count") else 1
        if place.index >= count:
            raise NoStart(f"there is no {place} among {count}", count)
        _hold(place, library)
        name = library.get_device_name(place.index) if kind != "mps" else "Apple GPU"
    except (RuntimeError, AssertionError) as fault:
        raise NoStart(_plain(str(fault))) from fault
    return Accelerator(place=place, name=name, count=count, seed=library.manual_seed)


def _hold(place: torch.device, library: Any) -> None:
    """Compute on it, so that a driver, a chip or a memory that will not do says so here."""
    if place.type == "cuda":
        library.init()
        free, _ = library.mem_get_info(place.index)
        if free < _FREE:
            raise NoStart(f"only {free >> 20} MB of its memory are free")
    ones = torch.ones(4, 4, device=place)
    if (ones @ ones).sum().item() != 64:
        raise NoStart("it computes 1 + 1 wrongly")


def _plain(text: str) -> str:
    """The first line of what torch says, without where in torch it was said."""
    first = text.strip().split("\n")[0].partition(" (Triggered internally")[0]
    return first.removeprefix("CUDA initialization: ").strip()


def hide() -> None:
    """Let this process find no accelerator, whatever the machine has.

    What runs on the CPU must run alike on a laptop and on a machine with a GPU, where code
    that asks for one would put its masks there.
    """
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"):
        os.environ[name] = ""
    for owner, name, answer in answer_as(cuda=False):
        setattr(owner, name, answer)


def answer_as(*, cuda: bool) -> list[tuple[Any, str, Callable[..., Any]]]:
    """What torch is to answer where there is no accelerator, or one CUDA device.

    Each row is the owner of a function, its name, and what stands in for it.
    """
    general: Any = getattr(torch, "accelerator", None)
    rows: list[tuple[Any, str, Any]] = [
        (torch.cuda, "is_available", cuda),
        (torch.cuda, "device_count", int(cuda)),
        (torch.backends.mps, "is_available", False),
        (getattr(torch, "xpu", None), "is_available", False),
        (general, "is_available", cuda),
        (general, "current_accelerator", torch.device("cuda") if cuda else None),
    ]
    if cuda:
        rows += [
            (torch.cuda, "current_device", 0),
            (torch.cuda, "synchronize", None),
            (torch.cuda, "empty_cache", None),
        ]
    return [(owner, name, _always(answer)) for owner, name, answer in rows if hasattr(owner, name)]


def _always(answer: Any) -> Callable[..., Any]:
    return lambda *_, **__: answer
