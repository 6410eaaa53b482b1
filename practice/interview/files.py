"""The candidate's file: handed out, read whole, put back, and run as they would run it."""

from __future__ import annotations

import ast
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import Refusal
from ..home import reason

__all__ = ["Ran", "Text", "hand_out", "own_checks", "put_back", "read", "run", "saved_at"]

_LARGEST = 1 << 20
_OUTPUT = 20_000
_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A file's text, or why there is none: the key of a sentence, and its values."""

    source: str = ""
    fault: str = ""
    line: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What running the file printed. status: of the process, nothing where it was ended."""

    status: int | None
    rows: tuple[str, ...]
    cut: bool


def hand_out(folder: Path, source: str) -> Path:
    """Write a new file to work in, and overwrite none. Raise Refusal where that fails."""
    number = 1
    while True:
        name = "interview.py" if number == 1 else f"interview-{number}.py"
        file = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as stream:
                stream.write(source)
        except FileExistsError as fault:
            if not os.path.lexists(file):
                raise Refusal("cannot-write", file=str(file), reason=reason(fault)) from None
            number += 1
        except OSError as fault:
            raise Refusal("cannot-write", file=str(file), reason=reason(fault)) from None
        else:
            return file.absolute()


def read(file: Path) -> Text:
    """Return a file's text. What an editor has saved by half is no Python yet, and is told."""
    try:
        if file.stat().st_size > _LARGEST:
            return Text(fault="file-large")
        source = file.read_text("utf-8-sig")
    except FileNotFoundError:
        return Text(fault="file-gone")
    except (OSError, UnicodeDecodeError) as fault:
        return Text(fault="file-unreadable", why=reason(fault))
    if not source.strip():
        return Text(fault="file-empty")
    try:
        ast.parse(source)
    except SyntaxError as fault:
        return Text(source=source, fault="file-half", line=fault.lineno or 0, why=fault.msg)
    except ValueError as fault:
        return Text(source=source, fault="file-half", why=str(fault))
    return Text(source=source)


def put_back(file: Path, source: str) -> str:
    """Write a file that is gone; return why not, or nothing."""
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(source)
    except OSError as fault:
        return reason(fault)
    return ""


def saved_at(file: Path) -> float:
    """Return when a file was last written, by the wall clock; 0 where it is gone.

    The later of its times: that of its content can be set by hand, that of its entry cannot.
    """
    try:
        found = file.stat()
    except OSError:
        return 0.0
    return max(found.st_mtime, found.st_ctime)


def own_checks(source: str) -> int:
    """Return how many assertions a file makes about its code: outside of classes, on a result."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return 0
    outside = [node for node in tree.body if not isinstance(node, ast.ClassDef)]
    return sum(_checks(one) for node in outside for one in ast.walk(node))


def _checks(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return any(isinstance(one, ast.Name | ast.Call) for one in ast.walk(node.test))
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in {"assert_close", "assert_allclose", "assert_equal", "assert_array_equal"}


def run(file: Path) -> Ran:
    """Run a file as its author would, and end it where it takes too long."""
    process = subprocess.Popen(
        [sys.executable, str(file)],
        cwd=file.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        printed, count = _printed(process)
        status = process.poll()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    text = printed.decode("utf-8", "replace")
    return Ran(status=status, rows=tuple(text.splitlines()), cut=count > _OUTPUT)


def _printed(process: subprocess.Popen[bytes]) -> tuple[bytes, int]:
    """Read what a process prints until it ends or its time is over: the end of it, and how much.

    What it prints without end is read and let go, so that it fills no memory.
    """
    assert process.stdout is not None
    number = process.stdout.fileno()
    over = time.monotonic() + _SECONDS
    kept, count = b"", 0
    while (left := over - time.monotonic()) > 0:
        if not select.select([number], [], [], left)[0]:
            break
        found = os.read(number, 65536)
        if not found:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, over - time.monotonic()))
            break
        count += len(found)
        kept = (kept + found)[-_OUTPUT:]
    return kept, count
