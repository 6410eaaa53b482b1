"""The device check: on a real accelerator, for which the CPU stands in here, and without one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from attn_kata.checker.candidate import accelerator
from attn_kata.checker.candidate.accelerator import NoStart
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.judge import again
from attn_kata.checker.judge.draw import cases
from attn_kata.checker.judge.finding import Finding
from attn_kata.checker.report.report import Check, Report
from attn_kata.dev.standin import standing
from attn_kata.kata.catalogue import Kata, find, katas
from attn_kata.sentences.wording import worded

MHA = """\
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, w = x.shape
        split = (b, t, self.h, self.d)
        q, k, v = (f(x).view(split).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / self.d ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(-1))
        out = weights @ v
        return self.o(out.transpose(1, 2).reshape(b, t, w))
"""
# Only a machine with a GPU takes this branch.
ON_GPU = "        if torch.cuda.is_available():\n            "

Judged = Callable[..., Report]


@pytest.fixture(scope="module")
def stand_ins() -> Iterator[Callable[[str], Bench]]:
    """Judges whose candidates find a GPU, by its fate."""
    made: dict[str, Bench] = {}
    with ExitStack() as stack:

        def found(fate: str) -> Bench:
            if fate not in made:
                made[fate] = stack.enter_context(standing(fate))
            return made[fate]

        yield found


@pytest.fixture
def on_gpu(stand_ins: Callable[[str], Bench], tmp_path: Path) -> Judged:
    """Judge a source where a GPU is; what is handed in is changed, old text for new."""

    def run(
        old: str = "",
        new: str = "",
        fate: str = "well",
        kata: str = "mha",
        language: str = "en",
        **options: Any,
    ) -> Report:
        whole = MHA if kata == "mha" else find(kata).solution()
        source = whole.replace(old, new) if old else whole
        assert not old or source != whole
        (tmp_path / "mine.py").write_text(source)
        chosen = Options(seed=1, **options)
        return worded(next(stand_ins(fate).judge(kata, [tmp_path / "mine.py"], chosen)), language)

    return run


def check(report: Report) -> Check:
    """The device check of a report."""
    return next(check for check in report.checks if check.id == "device")


def line_of(text: str, change: tuple[str, str]) -> int:
    """The line on which a text stands in the changed source."""
    rows = MHA.replace(*change).splitlines()
    return next(n for n, row in enumerate(rows, start=1) if text in row)


@pytest.mark.costly
def test_right_code_is_judged_on_the_gpu(on_gpu: Judged) -> None:
    """The report names the GPU, and what was run on it."""
    report = on_gpu()
    assert report.verdict == "pass"
    assert report.device == {"cuda": "ran", "name": "a stand-in"}
    assert str(check(report).detail).startswith("on a stand-in: float32, bfloat16, float16")
    assert check(report).cases > 50
    chinese = on_gpu(language="zh")
    assert "在 a stand-in 上" in str(check(chinese).detail)


def test_cpu_alone(on_gpu: Judged) -> None:
    """`cpu` leaves the GPU alone and pretends one."""
    report = on_gpu(device="cpu")
    assert report.device == {"cuda": "simulated", "name": None}
    assert check(report).detail == "on a simulated GPU"


@pytest.mark.parametrize("kind", ["mps", "xpu"])
def test_other_accelerators(on_gpu: Judged, kind: str) -> None:
    """Another kind runs the code, while CUDA is only pretended."""
    report = on_gpu(device=kind)
    assert report.device == {"cuda": "simulated", "name": "a stand-in", "kind": kind}
    assert report.verdict == "pass"


@pytest.mark.costly
@pytest.mark.parametrize("fate", ["fails", "dies"])
def test_a_gpu_that_does_not_start(on_gpu: Judged, fate: str) -> None:
    """Under auto the reason is said and one is pretended; asked for, it is an error."""
    report = on_gpu(fate=fate)
    assert report.verdict == "pass"
    assert report.device == {"cuda": "simulated", "name": None}
    assert "CUDA was found but failed to start: " in str(check(report).detail)
    assert "judged with a simulated device instead" in str(check(report).detail)
    asked = on_gpu(fate=fate, device="cuda")
    assert asked.verdict == "error"
    assert asked.error is not None
    assert "CUDA failed to start" in str(asked.error.message)


@pytest.mark.costly
def test_a_gpu_that_is_plainly_absent(on_gpu: Judged) -> None:
    """Where torch sees none and says nothing, there is nothing to tell."""
    assert check(on_gpu(fate="absent")).detail == "on a simulated GPU"


# What goes wrong on the GPU alone: what is changed, and the words of the check's detail.
WRONG = {
    "values": ("        out =", f"{ON_GPU}v = v * 1.01\n        out =", "standard deviations"),
    "shape": ("        out =", f"{ON_GPU}v = v[..., :1]\n        out =", "on a stand-in"),
    "raises": (
        "        out =", f'{ON_GPU}raise ValueError("only there")\n        out =', "only there",
    ),
    "mask": (
        "        weights =", f"{ON_GPU}scores = q @ k.mT / self.d ** 0.5\n        weights =",
        "standard deviations",
    ),
    "random": (
        "        out =", f"{ON_GPU}v = v + torch.randn_like(v)\n        out =", "on a stand-in: ",
    ),
    "halves": (
        "        out =", f"{ON_GPU}v = v * (1 + (v.dtype == torch.float16))\n        out =",
        "float16: off by",
    ),
    "gradients": (
        "        out =", f"{ON_GPU}v = v.detach()\n        out =", "on a stand-in: ",
    ),
    "dropout": (
        "        out =", f"{ON_GPU}weights = scores.softmax(-1)\n        out =",
        "dropout does not behave there as it does on the CPU",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_goes_wrong_there_alone(on_gpu: Judged, case: str) -> None:
    """A fault that only the GPU shows fails the check, and every other passes."""
    old, new, words = WRONG[case]
    report = on_gpu(old, new)
    assert report.verdict == "fail"
    assert {c.id for c in report.checks if c.status == "fail"} == {"device"}
    assert words in str(check(report).detail)


# The same of what is judged by its calls: functions, modules, and modules with a state.
ELSEWHERE = {
    "values": ("value = value * 1.01", "standard deviations"),
    "raises": ('raise ValueError("only there")', "only there"),
    "random": ("value = value + torch.randn_like(value)", "on a stand-in: "),
    "halves": ("value = value * (1 + (value.dtype == torch.float16))", "float16: off by"),
    "gradients": ("value = value.detach()", "gradient"),
    "state": ("self.times = getattr(self, 'times', 0) + 1; value = value * (1 + self.times % 2)",
              "standard deviations"),
}  # fmt: skip
JUDGED_BY_CALLS = [
    *(("gqa", case) for case in ELSEWHERE),
    *((kata, case) for kata in ("sdpa", "kvcache", "mla") for case in ("values", "raises")),
]


@pytest.mark.parametrize(("kata", "case"), JUDGED_BY_CALLS)
def test_what_goes_wrong_there_alone_by_its_calls(on_gpu: Judged, kata: str, case: str) -> None:
    """A fault that only the GPU shows fails a function's and a module's device check alone."""
    fault, words = ELSEWHERE[case]
    row = next(r for r in find(kata).solution().splitlines() if r.endswith(" = weights @ value")
               or " = weights @ value  #" in r)  # fmt: skip
    indent = row[: len(row) - len(row.lstrip())]
    spoilt = f"{indent}if torch.cuda.is_available():\n{indent}    {fault}\n{row}"
    report = on_gpu(row, spoilt, kata=kata)
    assert report.verdict == "fail"
    assert {c.id for c in report.checks if c.status == "fail"} == {"device"}
    assert words in str(check(report).detail)
    assert report.device == {"cuda": "ran", "name": "a stand-in"}


def test_one_of_several_functions(on_gpu: Judged) -> None:
    """Of several functions each is run on the GPU, and the one that raises is named."""
    row = "def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:\n"
    spoilt = "@lambda f: lambda *a: f(*a) * (1 + 0.1 * torch.cuda.is_available())\n"
    report = on_gpu(row, spoilt + row, kata="drill-softmax")
    assert str(check(report).detail).startswith("on a stand-in: float32: off by")
    source = find("drill-softmax").solution()
    line = source[: source.index(row)].count("\n") + 2
    raising = "@lambda f: lambda *a: f(*a[: 2 - 2 * torch.cuda.is_available()])\n"
    report = on_gpu(row, raising + row, kata="drill-softmax")
    assert str(check(report).detail).startswith(f"on a stand-in, line {line - 1}: ")


def test_a_plain_attribute_is_called_what_it_is(on_gpu: Judged) -> None:
    """A table that `.to()` leaves behind is no mask, and is named on the line that keeps it."""
    old = "        self.output_proj = nn.Linear(hidden_dim, hidden_dim)\n"
    kept = f"{old}        self.table = torch.zeros(hidden_dim)\n"
    source = find("kvcache").solution().replace(old, kept)
    use = "query = self.query_proj(x)"
    source = source.replace(use, "query = self.query_proj(x + self.table)")
    report = on_gpu(find("kvcache").solution(), source, kata="kvcache", device="cpu")
    line = source[: source.index("self.table =")].count("\n") + 1
    assert [(d.mistake, d.line) for d in report.diagnosis] == [("device-hardcoded", line)]
    assert str(report.diagnosis[0].message).startswith("`table` is a plain attribute")


def test_two_devices_there(on_gpu: Judged) -> None:
    """Torch's exception is told with the line where the stray tensor was made."""
    words = "Expected all tensors to be on the same device, but found at least two devices"
    change = (
        "        out =",
        f"{ON_GPU}one = torch.ones(1)\n            raise RuntimeError('{words}')\n        out =",
    )
    report = on_gpu(*change)
    assert words in str(check(report).detail)
    assert report.diagnosis[0].mistake == "device-hardcoded"
    assert report.diagnosis[0].line == line_of("raise RuntimeError", change)
    strays = ("        out =", f"{ON_GPU}v = v + torch.zeros(1)\n        out =")
    pretended = on_gpu(*strays, device="cpu")
    assert pretended.diagnosis[0].line == line_of("torch.zeros", strays)


def test_out_of_memory(on_gpu: Judged) -> None:
    """Running out of the GPU's memory is an error of its own, with the line."""
    text = "CUDA out of memory. Tried to allocate 80.00 GiB."
    change = ("        out =", f"{ON_GPU}raise torch.OutOfMemoryError('{text}')\n        out =")
    report = on_gpu(*change)
    assert report.verdict == "error"
    assert report.error is not None
    assert report.error.kind == "memory"
    assert report.error.line == line_of("OutOfMemoryError", change)
    assert "the GPU ran out of memory" in str(report.error.message)
    assert "GPU 内存不足" in str(on_gpu(*change, language="zh").error)


def test_a_kernel_that_fails(on_gpu: Judged) -> None:
    """A launch that fails is the code's fault where the GPU itself is well."""
    text = "CUDA error: device-side assert triggered"
    report = on_gpu("        out =", f"{ON_GPU}raise RuntimeError('{text}')\n        out =")
    assert report.verdict == "fail"
    assert text in str(check(report).detail)


@pytest.mark.costly
def test_a_process_that_ends_there(on_gpu: Judged) -> None:
    """A loop without end and a crash on the GPU alone are errors, in time."""
    looping = on_gpu("        out =", f"{ON_GPU}while True: pass\n        out =", timeout=3.0)
    assert looping.error is not None
    assert looping.error.kind == "timeout"
    crashing = on_gpu("        out =", f"{ON_GPU}import os; os.abort()\n        out =")
    assert crashing.error is not None
    assert crashing.error.kind == "crash"


@pytest.mark.costly
def test_the_second_of_two_gpus(on_gpu: Judged) -> None:
    """What runs on the first GPU alone is told, and is no fault by itself."""
    plain = on_gpu(fate="two")
    assert "cuda:1" not in str(check(plain).detail)
    change = (
        "        out =",
        f"{ON_GPU}if torch.cuda.current_device(): raise ValueError('not here')\n        out =",
    )
    report = on_gpu(*change, fate="two")
    assert report.verdict == "pass"
    line = line_of("not here", change)
    assert str(check(report).detail).endswith(f"; but not on cuda:1, line {line}: not here")
    second = on_gpu(*change, fate="two", device="cuda:1")
    assert check(second).status == "fail"


def test_what_fails_on_the_cpu_waits(on_gpu: Judged) -> None:
    """What is wrong on the CPU already is not run on the GPU; strays are found all the same."""
    change = ("self.d ** 0.5", "self.d + torch.zeros(t, t)")
    report = on_gpu(*change)
    assert report.device == {"cuda": "simulated", "name": None}
    failed = {c.id for c in report.checks if c.status == "fail"}
    assert {"values", "device"} <= failed


@pytest.mark.cuda
@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_the_ladder_on_a_real_gpu(kata: Kata, tmp_path: Path) -> None:
    """Every model answer passes on a GPU, whose name the report has."""
    if kata.lacking:
        pytest.skip(f"{kata.lacking} is not installed")
    (tmp_path / "answer.py").write_text(kata.shown, "utf-8")
    with Bench() as bench:
        report = worded(
            next(bench.judge(kata.id, [tmp_path / "answer.py"], Options(device="cuda"))), "en"
        )
    assert report.verdict == "pass", report.to_dict()
    assert report.device == {"cuda": "ran", "name": torch.cuda.get_device_name(0)}
    # A kernel says itself what its products are made of.
    assert ("with tf32 on, off by" in str(check(report).detail)) != kata.kernels


@pytest.mark.cuda
def test_out_of_a_real_gpus_memory(tmp_path: Path) -> None:
    """A tensor that no GPU holds is an error of kind memory, with its line."""
    change = ("        out =", f"{ON_GPU}torch.empty(1 << 44, device=x.device)\n        out =")
    (tmp_path / "mine.py").write_text(MHA.replace(*change))
    with Bench() as bench:
        report = worded(
            next(bench.judge("mha", [tmp_path / "mine.py"], Options(device="cuda"))), "en"
        )
    assert report.error is not None
    assert (report.error.kind, report.error.line) == ("memory", line_of("1 << 44", change))


def test_products_are_made_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolutions too, which torch has made of tf32 where nobody says otherwise."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    one = accelerator.Accelerator(
        place=torch.device("cpu"), name="a GPU", count=1, seed=torch.manual_seed
    )
    before = torch.get_float32_matmul_precision()
    try:
        for tf32 in (False, True):
            one.exact(tf32=tf32)
            assert torch.backends.cudnn.allow_tf32 is tf32
            assert torch.get_float32_matmul_precision() == ("high" if tf32 else "highest")
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize(
    ("kata", "off", "dtype", "told"),
    [
        ("triton-flash", 2e-3, torch.float32, True),
        ("triton-flash", 0.3, torch.float32, False),
        ("triton-flash", 2e-3, torch.float16, False),
        ("flash", 2e-3, torch.float32, False),
    ],
)
def test_a_kernels_own_tf32(kata: str, off: float, dtype: torch.dtype, told: bool) -> None:
    """It is no finding where it accounts for the error; in torch's products it is turned off."""
    asked = find(kata).asked
    function = asked.functions[0]
    case = next(iter(cases(function, asked.sizes)))
    trial = SimpleNamespace(case=case, dtype=dtype)
    gap: Any = SimpleNamespace(worst=off)
    found: Any = Finding(kind="values", trial=trial, gap=gap)
    one: Any = SimpleNamespace(kata=find(kata), function=function)
    assert again._of_tf32(one, found) == (off if told else None)


def test_hoping_for_a_gpu_speaks_to_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is hoped for follows from files and the build, and a name is taken as it is."""

    def untouched() -> bool:
        raise AssertionError("the judge has asked a driver")

    monkeypatch.setattr(torch.cuda, "is_available", untouched)
    monkeypatch.setattr(accelerator, "is_built", lambda kind: kind == "cuda")
    monkeypatch.setattr(accelerator.os.path, "exists", lambda path: path == "/dev/nvidiactl")
    assert accelerator.hoped("auto") == "cuda"
    assert accelerator.hoped("cpu") is None
    assert accelerator.hoped("cuda:1") == "cuda:1"
    monkeypatch.setattr(accelerator, "is_built", lambda _: False)
    assert accelerator.hoped("auto") is None


class Driver:
    """What torch.cuda says on some machine."""

    def __init__(
        self, said: str = "", count: int = 1, free: int = 8 << 30, fault: str = ""
    ) -> None:
        self.said, self.count, self.free, self.fault = said, count, free, fault

    def is_available(self) -> bool:
        """Warn as torch does where a driver is found and does not do."""
        if self.said:
            warnings.warn(
                f"CUDA initialization: {self.said} (Triggered internally at x.cpp:1.)", stacklevel=1
            )
        return not self.said

    def device_count(self) -> int:
        """Count the GPUs."""
        return self.count

    def init(self) -> None:
        """Fail, where it is to fail."""
        if self.fault:
            raise RuntimeError(f"{self.fault}\nCUDA kernel errors might be reported later")

    def mem_get_info(self, index: int) -> tuple[int, int]:
        """Tell the free and the whole memory."""
        return self.free, 80 << 30


@pytest.mark.parametrize(
    ("driver", "reason"),
    [
        (
            Driver(said="The NVIDIA driver on your system is too old (found version 9020)."),
            "The NVIDIA driver on your system is too old (found version 9020).",
        ),
        (Driver(fault="CUDA error: out of memory"), "CUDA error: out of memory"),
        (Driver(free=100 << 20), "only 100 MB of its memory are free"),
        (Driver(count=0), "there is no cuda:0 among 0"),
    ],
    ids=["old driver", "no context", "full", "none"],
)
def test_why_cuda_does_not_start(
    monkeypatch: pytest.MonkeyPatch, driver: Driver, reason: str
) -> None:
    """The reason is torch's own, without where in torch it was said."""
    monkeypatch.setattr(accelerator, "is_built", lambda _: True)
    monkeypatch.setattr(torch, "cuda", driver)
    with pytest.raises(NoStart) as caught:
        accelerator.start("cuda")
    assert str(caught.value) == reason


def test_a_gpu_that_is_not_there_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number beyond the last says how many there are."""
    monkeypatch.setattr(accelerator, "is_built", lambda _: True)
    monkeypatch.setattr(torch, "cuda", Driver(count=2))
    with pytest.raises(NoStart, match="there is no cuda:7 among 2") as caught:
        accelerator.start("cuda:7")
    assert caught.value.count == 2


def test_no_such_build() -> None:
    """A torch that is built without an accelerator plainly has none."""
    if torch.backends.cuda.is_built():
        pytest.skip("this torch is built with CUDA")
    with pytest.raises(NoStart) as caught:
        accelerator.start("cuda")
    assert str(caught.value) == ""
