"""A device that is asked for: what is found, or what to do without it."""

from __future__ import annotations

import pytest
from attn_kata.practice import surroundings
from attn_kata.practice.errors import Refusal
from attn_kata.practice.judging import Mask, Wishes
from attn_kata.practice.surroundings import Cuda, ask_cuda, device_called, require_device
from attn_kata.terminal.words import say


@pytest.fixture
def answering(monkeypatch):
    """Have the process that would ask torch print an answer, or do something else."""

    def prepare(answer, *, code=None):
        monkeypatch.setattr(surroundings, "_QUESTION", code or f"print('''{answer}''')")

    return prepare


@pytest.mark.parametrize(
    ("name", "plain"),
    [("auto", "auto"), ("CPU", "cpu"), ("cuda", "cuda"), ("cuda:1", "cuda:1"), ("mps", "mps"),
     ("xpu:0", "xpu:0")],
)  # fmt: skip
def test_devices(name, plain):
    """A device's name is taken in any case, with a number or without."""
    assert device_called(name) == plain


@pytest.mark.parametrize("name", ["tpu", "cuda:", "cuda:x", "cpu:0", "", "cuda:1234", "gpu"])
def test_no_such_device(name):
    """What is no device is refused before anything is started."""
    with pytest.raises(Refusal) as caught:
        device_called(name)
    assert (caught.value.key, caught.value.values) == ("no-device", {"name": name})


# What the process says, the sentence's key, and words of both languages.
FOUND = {
    "not built": (
        '{"version": "2.13.0", "built": false, "reason": "", "count": 0}', "cuda-not-built",
        "torch 2.13.0 is built without CUDA", "torch 2.13.0 不带 CUDA",
    ),
    "no device": (
        '{"version": "2.13.0", "built": true, "reason": "", "count": 0}', "cuda-no-device",
        "torch 2.13.0 sees no CUDA device", "torch 2.13.0 找不到 CUDA 设备",
    ),
    "no such number": (
        '{"version": "2.13.0", "built": true, "reason": "there is no cuda:7", "count": 2}',
        "cuda-no-index", "torch sees 2 CUDA devices, numbered from 0", "编号从 0 开始",
    ),
    "driver too old": (
        '{"version": "2.13.0", "built": true, "reason": "the driver is too old", "count": 0}',
        "cuda-no-start", "CUDA was found but does not start: the driver is too old",
        "找到了 CUDA，但启动不了：the driver is too old",
    ),
    "fails at start": (
        '{"version": "2.13.0", "built": true, "reason": "CUDA error: out of memory", "count": 0}',
        "cuda-no-start", "does not start: CUDA error: out of memory", "启动不了：CUDA error",
    ),
    "nothing": ("", "cuda-fault", "torch could not be asked: ", "无法询问 torch："),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_what_is_found_instead(answering, case):
    """A device that does not run is refused with what was found, in both languages."""
    answer, key, english, chinese = FOUND[case]
    answering(answer)
    with pytest.raises(Refusal) as caught:
        require_device("cuda:7")
    assert caught.value.key == "device-missing"
    found = caught.value.values["found"]
    assert isinstance(found, Cuda)
    assert found == ask_cuda("cuda:7")
    assert found.key == key
    assert english in say(key, "en", **found.values)
    assert chinese in say(key, "zh", **found.values)


def test_a_crash_at_start(answering):
    """A torch that brings its process down is said to be what cannot be asked."""
    answering("", code="import sys; print('Bus error', file=sys.stderr); sys.exit(7)")
    assert ask_cuda() == Cuda(False, "cuda-fault", {"reason": "Bus error"})


def test_one_that_runs(answering):
    """A device that runs is no reason to refuse."""
    answering('{"version": "2.13.0", "built": true, "name": "NVIDIA H200"}')
    require_device("cuda")
    assert ask_cuda().values == {"name": "NVIDIA H200"}


def test_nobody_is_asked_where_none_is_needed(answering):
    """Neither auto nor cpu needs a process that asks torch."""
    answering("", code="import sys; sys.exit(7)")
    require_device("auto")
    require_device("cpu")


def test_the_judge_is_told():
    """The device and the limits reach the judge, and are typed again with the seed."""
    wishes = Wishes(language="en", device="cuda:1")
    assert wishes.options().device == "cuda:1"
    assert wishes.to_type() == ("--device", "cuda:1")
    limits = Wishes(language="en", timeout=2.5, memory=900, class_name="A", mask=Mask.drop)
    watched = ("--class", "A", "--mask", "drop")
    assert limits.to_type() == (*watched, "--timeout", "2.5", "--memory", "900")
    assert limits.to_watch() == watched
    assert Wishes(language="en").to_type() == ()
