"""The fences one by one: each tried from inside, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from attn_kata.checker.process import fence, process_tree
from attn_kata.checker.process.limits import share_of_memory

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's own fences")

# Runs some lines and prints, of each expression, its value or its exception's name.
TRY = """
import json, os, resource, signal, socket, subprocess, sys
from attn_kata.checker.process import fence, process_tree

def tried(act):
    try:
        return act()
    except BaseException as fault:
        return type(fault).__name__

{before}
print(json.dumps([{acts}]), flush=True)
"""


def inside(before: str, *acts: str) -> list[object]:
    """Run some lines in a fresh Python, and return what each of some acts then gave."""
    tried = ", ".join(f"tried(lambda: {act})" for act in acts)
    code = TRY.format(before=before, acts=tried)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@linux
def test_writes_stay_in_one_folder(tmp_path: Path) -> None:
    """One folder is open, and the null device; everything else is for reading."""
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    outer.write_text("so")
    held = inside(
        f"held = fence.confine_writes({str(inner)!r})",
        "held",
        f"open({str(inner / 'a')!r}, 'w').write('so')",
        "open('/dev/null', 'w').write('so')",
        f"open({str(outer)!r}).read()",
        f"open({str(outer)!r}, 'a').write('so')",
        f"os.remove({str(outer)!r})",
        f"os.mkdir({str(tmp_path / 'new')!r})",
        f"os.rename({str(outer)!r}, {str(inner / 'b')!r})",
        f"os.symlink('x', {str(tmp_path / 'link')!r})",
    )
    if not held[0]:
        pytest.skip("this kernel has no Landlock")
    assert held[1:4] == [2, 2, "so"]
    assert set(held[4:]) <= {"PermissionError", "OSError"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inner", "outer"]


@linux
def test_threads_may_be_named_beside_a_gpu(tmp_path: Path) -> None:
    """CUDA names its threads as it starts; nothing else is open to a process for that."""
    name = "open(f'/proc/self/task/{os.getpid()}/comm', 'w').write('driver')"
    outer = f"open({str(tmp_path / 'outer')!r}, 'w')"
    parent = "open(f'/proc/{os.getppid()}/comm', 'w')"
    for accelerated, named in ((True, 6), (False, "PermissionError")):
        before = f"held = fence.confine_writes(None, accelerated={accelerated})"
        held = inside(before, "held", name, outer, parent)
        if not held[0]:
            pytest.skip("this kernel has no Landlock")
        assert held[1:] == [named, "PermissionError", "PermissionError"]


@linux
def test_some_calls_are_refused() -> None:
    """No program, no network, no signal to the protected; limits only seem to change."""
    held = inside(
        "fence.limit(1 << 30, 20)\nheld = fence.filter_calls([os.getppid()])",
        "held",
        "subprocess.run(['true'])",
        "os.system('true') != 0",
        "socket.socket()",
        "len(socket.socketpair())",
        "os.kill(os.getppid(), 0)",
        "os.kill(-1, 0)",
        "os.kill(os.getpid(), 0)",
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40))",
        "resource.getrlimit(resource.RLIMIT_DATA)[0]",
        "len(bytearray(1 << 31))",
    )
    if not held[0]:
        pytest.skip("this machine's seccomp is not known")
    assert held[1:] == [
        "FileNotFoundError", True, "OSError", 2, "PermissionError", "PermissionError", None, None,
        1 << 30, "MemoryError",
    ]  # fmt: skip


@linux
def test_programs_where_they_are_allowed() -> None:
    """Whoever compiles kernels may start programs; the network stays away, for them too."""
    connect = "import socket; socket.socket()"
    held = inside(
        "held = fence.filter_calls([os.getppid()], programs=True)",
        "held",
        "os.system('true') == 0",
        f"subprocess.run([sys.executable, '-c', {connect!r}], stderr=-3).returncode",
        "socket.socket()",
        "os.kill(os.getppid(), 0)",
    )
    if not held[0]:
        pytest.skip("this machine's seccomp is not known")
    assert held[1:] == [True, 1, "OSError", "PermissionError"]


@linux
def test_orphans_are_found_and_ended() -> None:
    """A process of another session, whose parent is gone, ends with the rest."""
    before = """
assert fence.adopt_orphans()
reading, writing = os.pipe()
first = os.fork()
if first == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        os.write(writing, b"%d" % os.getpid())
        signal.pause()
    os._exit(0)
orphan = int(os.read(reading, 20))
"""
    found, ended, left = inside(
        before,
        "orphan in process_tree.descendants(os.getpid())",
        "process_tree.end_all(first)",
        "os.kill(orphan, 0)",
    )
    assert (found, ended, left) == (True, True, "ProcessLookupError")


@linux
def test_children_are_listed_and_weighed() -> None:
    """A child is known, with what it holds in memory."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in process_tree.children(os.getpid())
        assert process_tree.use_of(os.getpid()).own > 1 << 20
        child.kill()
    assert process_tree.use_of(child.pid).own == 0
    assert process_tree.own_data() > 1 << 20


def test_other_systems_say_that_they_have_no_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel offers none, each fence says so, and nothing is raised."""
    monkeypatch.setattr(fence, "_LINUX", False)
    assert not fence.adopt_orphans()
    assert not fence.hide()
    assert not fence.confine_writes(None)
    assert not fence.filter_calls([1])


GUARDED = """
from attn_kata.checker.candidate.guard import Guard

aside, told = os.pipe()
folder = os.getcwd()
guard = Guard(told, os.dup(told), folder, {os.getppid()}, fenced=False)
guard.arm()
import torch
F, q = torch.nn.functional, torch.ones(1, 2, 3)
"""


def test_the_guard_stands_where_no_fence_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the kernel, Python's own calls are kept in, and torch's attention is away."""
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    outer = tmp_path / "outer"
    outer.write_text("so")
    held = inside(
        GUARDED,
        "open('a', 'w').write('so')",
        f"open({str(outer)!r}).read()",
        f"open({str(outer)!r}, 'a').write('so')",
        f"os.remove({str(outer)!r})",
        f"os.rename({str(outer)!r}, 'b')",
        "os.kill(os.getppid(), 0)",
        "os.kill(-1, 0)",
        "os.kill(os.getpid(), 0)",
        "subprocess.run(['true'])",
        "os.system('true')",
        "socket.socket().connect(('192.0.2.1', 80))",
        "F.scaled_dot_product_attention(q, q, q)",
        "torch.nn.MultiheadAttention(3, 1)(q, q, q)",
        "__import__('attn_kata.reference.v1')",
        "os.read(aside, 999).decode().split()[:2]",
    )
    assert held == [
        2, "so", "PermissionError", "PermissionError", "PermissionError", "PermissionError",
        "PermissionError", None, "FileNotFoundError", "FileNotFoundError", "OSError", "Forbidden",
        "Forbidden", "PermissionError", ["forbidden", "F.scaled_dot_product_attention"],
    ]  # fmt: skip
    assert outer.read_text() == "so"


def test_judges_share_memory() -> None:
    """Judges side by side have half of the machine together, and enough each to work at all."""
    assert share_of_memory(1) >= share_of_memory(4) >= 512 << 20
