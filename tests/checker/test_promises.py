"""What docs/judge.md promises holds for every kata: what one power alone can see is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Report
from attn_kata.dev.planted import PLANTS, planted
from attn_kata.dev.standin import NAME, standing
from attn_kata.kata.catalogue import Kata, katas
from attn_kata.sentences.wording import worded

# Faults that do not hide each other; what is wrong everywhere hides what is wrong somewhere.
TOGETHER = {
    "what is asked": ("gradients", "stability", "half", "modified", "pretended GPU"),
    "any memory, any turn": ("strided", "random"),
    "autocast": ("autocast",),
    "between calls": ("kept",),
    "train mode": ("train",),
}
# Faults are planted in answers written in torch.
PLANTED = [kata for kata in katas() if not kata.kernels]
CASES = [
    pytest.param(kata, names, id=f"{kata.id}, {told}")
    for kata in PLANTED
    for told, names in TOGETHER.items()
    if kata.kind != "function" or not any(PLANTS[name].modes for name in names)
]


@pytest.fixture(scope="module")
def gpu() -> Iterator[Bench]:
    """A judge on a machine with a GPU, for which the CPU stands in."""
    with standing() as bench:
        yield bench


def judged(bench: Bench, kata: Kata, folder: Path, *names: str, device: str) -> Report:
    """Judge a kata's model answer with these faults planted."""
    (folder / "mine.py").write_text(planted(kata, *(PLANTS[name] for name in names)), "utf-8")
    options = Options(seed=1, device=device, diagnose=False, timeout=120)
    report = worded(next(bench.judge(kata.id, [folder / "mine.py"], options)), "en")
    assert report.error is None, report.error
    return report


@pytest.mark.enumeration(12)
@pytest.mark.parametrize(("kata", "names"), CASES)
def test_a_fault_is_seen_in_every_kata(
    bench: Bench, tmp_path: Path, kata: Kata, names: tuple[str, ...]
) -> None:
    """Each planted fault fails a check that is there for it, unless the kata asks for none."""
    report = judged(bench, kata, tmp_path, *names, device="cpu")
    status = {check.id: check for check in report.checks}
    for name in names:
        checks = [status[one] for one in PLANTS[name].checks]
        unasked = all(one.status == "skip" and "not asked" in str(one.detail) for one in checks)
        assert unasked or any(one.status == "fail" for one in checks), (name, checks)
    assert report.device == {"cuda": "simulated", "name": None}


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", PLANTED, ids=lambda kata: kata.id)
def test_every_kata_is_judged_on_a_gpu(gpu: Bench, tmp_path: Path, kata: Kata) -> None:
    """What goes wrong on a GPU alone fails the device check alone, and the report names the GPU."""
    report = judged(gpu, kata, tmp_path, "GPU", device="auto")
    assert {check.id for check in report.checks if check.status == "fail"} == {"device"}
    assert report.device == {"cuda": "ran", "name": NAME}


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", PLANTED, ids=lambda kata: kata.id)
def test_a_model_answer_passes_on_a_gpu(gpu: Bench, tmp_path: Path, kata: Kata) -> None:
    """The model answer passes there, in float32 and in every dtype that the kata asks for."""
    report = judged(gpu, kata, tmp_path, device="auto")
    detail = next(check.detail for check in report.checks if check.id == "device")
    assert report.verdict == "pass", detail
    assert report.device == {"cuda": "ran", "name": NAME}
    asked = {name for one in kata.asked.functions for name in one.dtypes}
    assert all(name in str(detail) for name in {"float32", *asked})
