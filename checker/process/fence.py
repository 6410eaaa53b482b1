"""What the kernel keeps a submission from: limits, Landlock, seccomp, and orphans.

Each fence is asked for in turn, and the answer says which of them hold: a kernel may be
too old for one, and another system has none. What follows from that is in `guard.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

__all__ = [
    "adopt_orphans",
    "confine_writes",
    "die_with",
    "filter_calls",
    "hide",
    "limit",
    "trial",
    "warm_up",
]

_LINUX = sys.platform.startswith("linux")

# prctl's numbers, from linux/prctl.h.
_DEATH_SIGNAL, _DUMPABLE, _SECCOMP, _ADOPT, _NO_NEW_PRIVILEGES = 1, 4, 22, 36, 38

# Landlock's system calls have one number on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_BENEATH = 1
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_REFER = 1 << 13
_REMOVE_AND_MAKE = 0b1_1111_1111 << 4
_SCOPES = 0b11  # abstract sockets, and signals to anyone outside

# Devices that take what is written to them and keep nothing.
_DEVICES = ("null", "zero", "full", "random", "urandom")
# Those of a GPU, open to a process that is to run on one: NVIDIA's (nvidia-caps is a folder),
# Jetson's, WSL's, AMD's and Intel's.
_ACCELERATORS = ("nvidia*", "nvhost*", "nvmap", "dxg", "kfd", "dri/*")
# CUDA names its threads here as it starts, and does not start where it cannot.
_THREADS = "/proc/self/task"

# A driver opens dozens for each GPU that there is.
_OPEN_FILES, _OPEN_FILES_ACCELERATED = 256, 4096
_LARGEST_FILE = 256 << 20
_TASKS = 512

_Line = tuple[int, int, int, int]


def trial() -> list[str]:
    """Put every fence around this very process, and name those that do not hold here."""
    held = {
        "orphans": adopt_orphans(),
        "files": confine_writes(None),
        "programs": filter_calls([]),
    }
    return [name for name, holds in held.items() if not holds]


def warm_up() -> None:
    """Look up once what every fork would look up again."""
    _library()
    _devices(_DEVICES)


def adopt_orphans() -> bool:
    """Become the parent of every descendant whose own parent ends."""
    return _prctl(_ADOPT, 1)


def die_with(signal_number: int) -> bool:
    """Be sent a signal when the parent ends."""
    return _prctl(_DEATH_SIGNAL, signal_number)


def hide() -> bool:
    """Keep other processes of the same person out of this one's memory."""
    return _prctl(_DUMPABLE, 0)


def limit(memory: int, seconds: float, *, accelerated: bool = False) -> None:
    """Set what a process and its children may use each. memory in bytes, 0 for any.

    accelerated: whether a GPU's driver is to run in it. A driver reserves far more addresses
    than it fills, so that only the watch over what is filled limits memory there.
    """
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_NOFILE, _OPEN_FILES_ACCELERATED if accelerated else _OPEN_FILES)
    _set(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    if memory and not accelerated:
        _set(resource.RLIMIT_DATA, memory)
    # The soft limit ends it with a signal of its own, which tells it from other ends.
    processor = int(seconds) + 1
    _set(resource.RLIMIT_CPU, processor, processor + 2)
    # The system counts a person's processes together: as many as there are, and some.
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/loadavg", "rb", 0) as held:  # noqa: PTH123 - at every start
            running = int(held.read().split()[3].split(b"/")[1])
        _set(resource.RLIMIT_NPROC, running + _TASKS)


def _set(kind: int, soft: int, hard: int | None = None) -> None:
    _, most = resource.getrlimit(kind)
    wanted = soft if hard is None else hard
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    # macOS refuses some that it lists; the watch over the whole serves there.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (min(soft, wanted), wanted))


def confine_writes(folder: str | None, *, accelerated: bool = False) -> bool:
    """Let nothing be written, made, moved or removed but in one folder, and signal no stranger.

    Landlock, which needs no privilege and is passed on to every descendant (Linux 5.13;
    signals from 6.12). accelerated: whether a GPU's device files may be written to, and this
    process's threads be named.
    """
    if not _LINUX:
        return False
    version = _call(_CREATE_RULESET, None, 0, 1)
    if version < 1 or not _prctl(_NO_NEW_PRIVILEGES, 1):
        return False
    writing = _WRITE_FILE | _REMOVE_AND_MAKE
    writing |= _REFER if version >= 2 else 0
    writing |= _TRUNCATE if version >= 3 else 0
    asked = struct.pack("QQQ", writing, 0, _SCOPES)[: 24 if version >= 6 else 8]
    rules = _call(_CREATE_RULESET, asked, len(asked), 0)
    if rules < 0:
        return False
    try:
        if folder is not None:
            _allow(rules, folder, writing)
        open_to = _devices(_DEVICES + _ACCELERATORS * accelerated) + [_THREADS] * accelerated
        for place in open_to:
            _allow(rules, place, writing & (_WRITE_FILE | _TRUNCATE))
        return _call(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


@cache
def _devices(patterns: tuple[str, ...]) -> list[str]:
    return [str(found) for name in patterns for found in Path("/dev").glob(name)]


def _allow(rules: int, path: str, access: int) -> None:
    with contextlib.suppress(OSError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            _call(_ADD_RULE, rules, _BENEATH, struct.pack("<Qi", access, place), 0)
        finally:
            os.close(place)


# The numbers of the calls below, from asm/unistd.h.
_CALLS: dict[str, dict[str, int]] = {
    "x86_64": {
        "execve": 59, "execveat": 322, "kill": 62, "tkill": 200, "tgkill": 234,
        "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "pidfd_open": 434, "socket": 41,
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "setrlimit": 160,
        "prlimit64": 302,
    },
    "aarch64": {
        "execve": 221, "execveat": 281, "kill": 129, "tkill": 130, "tgkill": 131,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd_open": 434, "socket": 198,
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "setrlimit": 164,
        "prlimit64": 261,
    },
}  # fmt: skip
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SIGNALS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open")
_STARTING = ("execve", "execveat")
_NETWORKS = (2, 10)  # AF_INET and AF_INET6

# Berkeley packet filter: load a word, jump where it equals, return.
_LOAD, _EQUALS, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def filter_calls(protected: Iterable[int], *, programs: bool = False) -> bool:
    """Keep this process and its descendants from some system calls, by seccomp.

    No other program is started (as if it were not installed), no network is there, nobody's
    memory is read but its own, limits stay as they are (setting them seems to work), and the
    protected processes and their groups get no signal.

    programs: whether other programs are started all the same; every fence holds for them too.
    """
    machine = platform.machine()
    if not _LINUX or machine not in _CALLS or not _prctl(_NO_NEW_PRIVILEGES, 1):
        return False
    calls = {n: c for n, c in _CALLS[machine].items() if not (programs and n in _STARTING)}
    program = _program(calls, _ARCHITECTURES[machine], list(protected))
    code = b"".join(struct.pack("<HBBI", *one) for one in program)
    held = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxP", len(program), ctypes.addressof(held))
    return _prctl(_SECCOMP, 2, ctypes.c_char_p(head))


def _program(calls: dict[str, int], architecture: int, protected: list[int]) -> list[_Line]:
    forbidden = {pid & 0xFFFFFFFF for one in protected for pid in (one, -one)} | {0xFFFFFFFF}
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUALS, 1, 0, architecture),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for name, error in (
        ("execve", errno.ENOENT), ("execveat", errno.ENOENT), ("ptrace", errno.EPERM),
        ("process_vm_readv", errno.EPERM), ("process_vm_writev", errno.EPERM), ("setrlimit", 0),
    ):  # fmt: skip
        if name in calls:
            lines += [(_EQUALS, 0, 1, calls[name]), (_RETURN, 0, 0, _ERROR | error)]
    for name in _SIGNALS:
        lines += _if_argument(calls[name], sorted(forbidden), errno.EPERM)
    lines += _if_argument(calls["socket"], _NETWORKS, errno.ENETUNREACH)
    lines += [
        # Reading a limit is this call with no new one: both halves of the pointer are 0.
        (_EQUALS, 0, 6, calls["prlimit64"]),
        (_LOAD, 0, 0, _ARGUMENTS + 16),
        (_EQUALS, 0, 3, 0),
        (_LOAD, 0, 0, _ARGUMENTS + 20),
        (_EQUALS, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERROR),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return lines


def _if_argument(call: int, values: Sequence[int], error: int) -> list[_Line]:
    """Refuse a call whose first argument is one of some values; leave the others alone."""
    tests = [
        line
        for value in values
        for line in ((_EQUALS, 0, 1, value), (_RETURN, 0, 0, _ERROR | error))
    ]
    inner = [(_LOAD, 0, 0, _ARGUMENTS), *tests, (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUALS, 0, len(inner), call), *inner]


@cache
def _library() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: Any) -> int:
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return int(_library().syscall(ctypes.c_long(number), *given))


def _prctl(option: int, *arguments: Any) -> bool:
    if not _LINUX:
        return False
    given = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    given += [ctypes.c_ulong(0)] * (4 - len(given))
    return _library().prctl(ctypes.c_int(option), *given) == 0
