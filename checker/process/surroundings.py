"""What a command stands in, and what of it a judge that stays must have in common with it.

Its folder and its environment are handed over and taken on by each fork. What cannot be taken
on, since an interpreter or torch has read it as it started, or since it is a fence around the
command, makes a key: a judge with another key is another command's.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["enter", "key", "may_last", "runtime_folder", "told"]

_PACKAGE = Path(__file__).parents[2]
# Read as an interpreter, a linker or torch starts.
_READ_AT_START = (
    "PYTHON", "LD_", "DYLD_", "OMP_", "MKL_", "KMP_", "GOMP_", "GOTO_", "OPENBLAS_", "BLIS_",
    "VECLIB_", "TORCH", "PYTORCH_", "ATEN_", "C10_", "CAFFE2_", "CUDA_", "CUDNN_", "CUBLAS_",
    "NVIDIA_", "NCCL_", "GLOO_", "HIP_", "HSA_", "ROCR_", "ROCM_", "MIOPEN_", "ZE_", "ONEAPI_",
    "SYCL_", "ONEDNN_", "DNNL_", "MALLOC_", "GLIBC_", "KINETO_", "TRITON_", "LC_", "LANG",
    "LOCPATH", "HOME", "VIRTUAL_ENV", "CONDA_", "COVERAGE_", "COV_CORE_", "ATTN_KATA_DEBUG",
)  # fmt: skip
# Of a process's state what says who it is and how it is fenced in.
_STATUS = ("Uid", "Gid", "Groups", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp", "Seccomp_filters")
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts")
# Of our own folders, how deep files of which kinds count.
_CODE = (("", 0, (".py",)), ("checker", 3, (".py",)), ("reference", 0, (".py",)),
         ("kata", 0, (".py",)), ("kata", 1, (".toml",)))  # fmt: skip
_LIMITS = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))


def runtime_folder() -> Path | None:
    """Return this user's own folder for sockets, made if need be; None where there is none.

    It is this user's, and nobody else may enter it.
    """
    uid = os.geteuid()
    places = (os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{uid}")
    found = next((Path(one) for one in places if one and os.access(one, os.W_OK)), None)
    folder = found / "attn-kata" if found else Path(_temporary(), f"attn-kata-{uid}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        held = folder.lstat()
    except OSError:
        return None
    mine = held.st_uid == uid and held.st_mode & 0o170077 == 0o040000
    return folder if mine else None


def may_last(pid: int | str = "self") -> bool:
    """Whether a process may have a judge that stays.

    One that is sandboxed by itself may not: what fences it in does not show in any key.
    """
    return _status(pid).get("NoNewPrivs", "0") == "0"


def key() -> str:
    """Return the key of judges that this command can use: equal where all that counts is."""
    parts = {
        "python": [sys.executable, sys.version, *_stamp(Path(sys.executable))],
        "torch": _torch(),
        "code": _code(),
        "environment": sorted(
            (name, value) for name, value in os.environ.items() if name.startswith(_READ_AT_START)
        ),
        "path": _relative_path(),
        "limits": [resource.getrlimit(getattr(resource, name)) for name in _LIMITS],
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "fences": [_status().get(name) for name in _STATUS],
        "namespaces": [_link(f"/proc/self/ns/{name}") for name in _NAMESPACES],
        "root": _stamp(Path("/")),
        "label": _text("/proc/self/attr/current"),
        "group": _limited_group(),
    }
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "replace")).hexdigest()[
        :24
    ]


def told() -> dict[str, Any]:
    """Return what a fork takes on. The folder itself goes along as a descriptor."""
    mask = os.umask(0o077)
    os.umask(mask)
    cores = getattr(os, "sched_getaffinity", lambda _: None)(0)
    environment = {os.fsdecode(name): os.fsdecode(value) for name, value in os.environb.items()}
    return {"environment": environment, "umask": mask, "cores": sorted(cores or ())}


def enter(given: dict[str, Any], folder: int | None) -> None:
    """Take on what a command told, in a fork. folder: its descriptor."""
    kept = {name: os.environ[name] for name in ("TORCHDYNAMO_DISABLE", "PYTORCH_JIT")}
    os.environ.clear()
    os.environ.update({**given["environment"], **kept})
    os.umask(given["umask"])
    if given["cores"]:
        os.sched_setaffinity(0, given["cores"])
    if folder is not None:
        os.fchdir(folder)
    held = sys.modules.get("tempfile")
    if held is not None:
        held.tempdir = None  # type: ignore[attr-defined]
    time.tzset()


def _temporary() -> str:
    import tempfile

    return tempfile.gettempdir()


def _torch() -> list[object]:
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).parent
    return [str(folder), *_stamp(folder), *_stamp(folder / "version.py"), *_stamp(folder / "lib")]


def _code() -> list[Any]:
    """Our own files as they are on the disk: an upgrade in place, or an edit, changes them."""
    found = (_below(_PACKAGE / folder, deep, kinds) for folder, deep, kinds in _CODE)
    return sorted(row for rows in found for row in rows)


def _below(folder: str | Path, deep: int, kinds: tuple[str, ...]) -> Iterator[list[Any]]:
    with os.scandir(folder) as entries:
        for one in entries:
            if one.name.endswith(kinds):
                held = one.stat()
                yield [one.path, held.st_dev, held.st_ino, held.st_size, held.st_mtime_ns]
            elif deep and one.is_dir():
                yield from _below(one.path, deep - 1, kinds)


def _stamp(path: Path) -> list[object]:
    try:
        held = path.stat()
    except OSError:
        return []
    return [held.st_dev, held.st_ino, held.st_size, held.st_mtime_ns]


def _relative_path() -> str:
    """The folder, where the interpreter's own path depends on it."""
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    relative = any(one and not os.path.isabs(one) for one in entries)  # noqa: PTH117 - text
    return os.getcwd() if relative else ""  # noqa: PTH109 - text


def _limited_group() -> str:
    """The innermost group that limits what it may use; nothing where none does."""
    own = _text("/proc/self/cgroup").rpartition("::")[2].strip().lstrip("/")
    parts = own.split("/") if own else []
    for length in range(len(parts), 0, -1):
        group = "/".join(parts[:length])
        for name in ("memory.max", "memory.high", "cpu.max"):
            held = _text(f"/sys/fs/cgroup/{group}/{name}").strip()
            if held and not held.startswith("max"):
                return group
    return ""


def _status(pid: int | str = "self") -> dict[str, str]:
    rows = (row.partition(":") for row in _text(f"/proc/{pid}/status").splitlines())
    return {name: value.strip() for name, _, value in rows}


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - no path
    except OSError:
        return ""
