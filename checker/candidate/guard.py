"""In the candidate's process: what it may not do, told to the judge when it is tried.

The kernel's fences are in `fence.py`. Here are those that Python and torch offer: an audit
hook, which no Python code can take off again, and kernels that replace torch's own
attention at its dispatcher, beneath functions, modes and threads.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from ..process.whereabouts import ASK
from .frames import line_in

__all__ = ["Forbidden", "Guard"]

_REFERENCE = str((Path(__file__).parents[2] / "reference").resolve())
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# What does all of attention in one operator: a part of its name, and what people call it.
_FUSED = {
    "scaled_dot": "F.scaled_dot_product_attention",
    "_fused_sdp_choice": "F.scaled_dot_product_attention",
    "_flash_attention": "F.scaled_dot_product_attention",
    "_efficient_attention": "F.scaled_dot_product_attention",
    "_cudnn_attention": "F.scaled_dot_product_attention",
    "multi_head_attention": "nn.MultiheadAttention",
    "_transformer_encoder_layer_fwd": "nn.TransformerEncoderLayer",
}
_KEYS = (
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CPU",
    "CUDA",
    "AutogradCPU",
    "AutogradCUDA",
    "AutocastCPU",
    "AutocastCUDA",
    "NestedTensorCPU",
    "FuncTorchBatched",
    "FuncTorchBatchedDecomposition",
    "FuncTorchVmapMode",
)

# Bound before any submission runs: what it puts in their place is its own affair.
_write, _exit, _realpath, _getpid = os.write, os._exit, os.path.realpath, os.getpid


class Forbidden(RuntimeError):
    """An operator that does the whole job was called."""


# torch's dispatcher has no public way in that imports as little.
_dispatcher: Any = torch._C  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def _plan() -> list[tuple[str, str, str]]:
    """List the kernels to replace: operator, dispatch key, and what people call it."""
    names = [
        (name.removeprefix("aten::"), called)
        for name in _dispatcher._dispatch_get_all_op_names()  # noqa: SLF001
        if name.startswith("aten::")
        for part, called in _FUSED.items()
        if part in name
    ]
    return [
        (name, key, called)
        for name, called in dict(names).items()
        for key in _KEYS
        if _dispatcher._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key)  # noqa: SLF001
    ]


_KERNELS = _plan()


class Guard:
    """Stands over one submission. aside: the descriptor on which the judge is told.

    fenced: whether the kernel keeps writes, signals and other programs off already.
    """

    def __init__(
        self, aside: int, channel: int, folder: str | None, protected: set[int], *, fenced: bool
    ) -> None:
        self.aside = aside
        self.folder = folder and _realpath(folder)
        self.path = ""
        self.protected = protected
        self.checks: dict[str, Callable[..., None]] = {"open": self._open}
        if not fenced:
            self._without_fences()
        faulthandler.enable(aside, all_threads=True)
        faulthandler.register(ASK, aside, all_threads=True)
        faulthandler.register(signal.SIGXCPU, aside, all_threads=True, chain=True)
        os._exit = self._leave
        null = os.open(os.devnull, os.O_RDWR)
        # A fork that comes back into our loop must not answer in its parent's place.
        os.register_at_fork(after_in_child=lambda: (os.dup2(null, channel), None)[1])
        checks = self.checks

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            check = checks.get(event)
            if check is not None:
                check(*arguments)

        sys.addaudithook(hook)

    def arm(self) -> None:
        """Take torch's own attention away, for good and for every thread.

        It is there while the file is run, since people hold their own against it there.
        """
        library = _dispatcher._dispatch_library("IMPL", "aten", "")  # noqa: SLF001
        for name, key, called in _KERNELS:
            library.impl(name, key, self._refusal(called))
        # The registration ends with this object, so it is never let go.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
        refuse = self._refusal("nn.MultiheadAttention")
        F.multi_head_attention_forward.__code__ = _forward_to.__code__
        F.multi_head_attention_forward.__defaults__ = (refuse,)
        F.multi_head_attention_forward.__kwdefaults__ = {"refuse": refuse}

    def _refusal(self, called: str) -> Callable[..., Any]:
        def refused(*_: Any, **__: Any) -> Any:
            self.tell(called)
            raise Forbidden(f"{called} is not to be used here")

        return refused

    def tell(self, called: str) -> None:
        """Tell the judge, with the submission's line, what was reached for."""
        line = line_in(self.path)
        _write(self.aside, f"\nforbidden {called} {line or 0}\n".encode())

    def _leave(self, status: int) -> None:
        """Say where the process was left, and leave it."""
        faulthandler.dump_traceback(self.aside, all_threads=True)
        _exit(status)

    def _open(self, path: Any, _: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        place = _realpath(os.fsdecode(path))
        if place.startswith(_REFERENCE):
            self.tell("attn_kata")
            raise PermissionError(f"not for a submission to read: {place}")
        if "write" in self.checks and isinstance(flags, int) and flags & _WRITING:
            self._write_to(place)

    def _without_fences(self) -> None:
        """Where the kernel fences nothing, keep at least honest accidents from doing harm."""
        self.checks["write"] = self._write_to
        for event in (
            "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink",
            "os.truncate", "os.chmod", "os.chown", "os.utime", "shutil.rmtree",
        ):  # fmt: skip
            self.checks[event] = self._change
        for event in ("os.kill", "os.killpg"):
            self.checks[event] = self._signal
        for event in ("os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"):
            self.checks[event] = self._start
        self.checks["socket.connect"] = self._connect

    def _write_to(self, place: str) -> None:
        inside = self.folder is not None and place.startswith(self.folder + os.sep)
        if not inside and not place.startswith("/dev/"):
            raise PermissionError(f"a submission writes in its own folder alone: {place}")

    def _change(self, *arguments: Any) -> None:
        for argument in arguments:
            if isinstance(argument, (str, bytes, os.PathLike)):
                self._write_to(_realpath(os.fsdecode(argument)))

    def _signal(self, pid: int, _: int) -> None:
        if abs(pid) in self.protected or pid == -1:
            raise PermissionError("a submission signals its own processes alone")

    def _start(self, *_: Any) -> None:
        raise FileNotFoundError("a submission starts no other program")

    def _connect(self, *_: Any) -> None:
        raise OSError("a submission has no network")


def _forward_to(*_: Any, refuse: Any = None, **__: Any) -> Any:
    return refuse()
