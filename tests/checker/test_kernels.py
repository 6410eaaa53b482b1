"""Triton's kernels: interpreted, fenced in, and seen by what watches torch calls."""

from __future__ import annotations

import subprocess
import sys

import pytest
from attn_kata.checker.diagnose.kernels import in_kernel
from attn_kata.checker.report.report import Report
from attn_kata.dev.layout import Folder
from attn_kata.kata.catalogue import Kata, find, katas
from attn_kata.kata.packs import OWN
from attn_kata.practice.debug.bugs import host
from attn_kata.sentences.wording import worded

KERNELS = [kata for kata in katas() if kata.kernels]
SOFTMAX = find("triton-softmax").shown
needs_triton = pytest.mark.skipif(
    bool(find("triton-softmax").lacking), reason="triton is not installed"
)


def said(report: Report) -> list[tuple[str, int | None]]:
    """The mistakes that are named, with their lines."""
    return [(one.mistake, one.line) for one in report.diagnosis]


def line(source: str, words: str) -> int:
    """The first line that holds some words."""
    return next(at for at, text in enumerate(source.splitlines(), 1) if words in text)


@needs_triton
@pytest.mark.parametrize("kata", KERNELS, ids=lambda kata: kata.id)
def test_the_answer_that_is_shown_passes(judged, kata: Kata) -> None:
    """What `solution` shows is right, and a launch counts as the kernel that is asked for."""
    report = judged(kata.id, kata.shown)
    assert report.verdict == "pass", report
    assert not report.remarks


@needs_triton
@pytest.mark.parametrize("kata", KERNELS, ids=lambda kata: kata.id)
def test_the_answer_in_torch_does_not(judged, kata: Kata) -> None:
    """Right numbers without a kernel break the rules."""
    report = judged(kata.id, kata.solution())
    assert [one.id for one in report.checks if one.status == "fail"] == ["rules"]


@needs_triton
@pytest.mark.parametrize(
    ("call", "word"), [("tl.load", "reads"), ("tl.store", "writes")], ids=["load", "store"]
)
def test_nothing_outside_is_touched(judged, call: str, word: str) -> None:
    """An address outside of the tensors ends the call on the kernel's line, unread."""
    masked = {"tl.load": 'mask=in_row, other=float("-inf")', "tl.store": "mask=in_row"}[call]
    source = SOFTMAX
    at = line(source, call)
    rows = source.splitlines()
    rows[at - 1] = rows[at - 1].replace(f", {masked}", "")
    report = worded(judged("triton-softmax", "\n".join(rows)), "en")
    assert report.error is not None
    assert f"the kernel {word} outside" in str(report.error.message)
    assert report.error.line == at
    assert said(report) == [(f"{call.removeprefix('tl.')}-unmasked", at)]


@needs_triton
def test_what_no_program_writes_is_nan(judged) -> None:
    """Memory that a kernel leaves out is not right by chance."""
    source = SOFTMAX.replace("softmax_kernel[(rows,)]", "softmax_kernel[(max(1, rows - 1),)]")
    report = judged("triton-softmax", source)
    assert report.verdict == "fail"


@needs_triton
def test_a_tensor_left_on_the_cpu_is_found(judged) -> None:
    """A launch takes tensors of one device, on the simulated GPU too."""
    made = "torch.empty_like(x)"
    source = SOFTMAX.replace(made, "torch.empty(x.shape, dtype=x.dtype)")
    report = judged("triton-softmax", source)
    assert [one.id for one in report.checks if one.status == "fail"] == ["device"]
    assert said(report) == [("device-hardcoded", line(source, "torch.empty("))]


@needs_triton
def test_an_exception_in_a_kernel_has_its_line(judged) -> None:
    """What a kernel raises comes as it was raised, in a function that it calls too."""
    source = SOFTMAX.replace("tl.exp(values", "tl.expp(values")
    report = judged("triton-softmax", source)
    assert report.error is not None
    assert report.error.line == line(source, "tl.expp")
    assert "expp" in str(report.error.message)


@needs_triton
def test_what_a_function_of_a_kernel_raises_is_on_its_line(judged) -> None:
    """A kernel's own function that reads outside is pointed at, not where it is called."""
    source = host(find("triton-flash"), "tiles_typed")
    masked = ", mask=rows[:, None] < length, other=0.0"
    report = judged("triton-flash", source.replace(f"tl.load(ptrs{masked})", "tl.load(ptrs)"))
    assert said(report) == [("load-unmasked", line(source, "tl.load(ptrs"))]


@needs_triton
def test_a_mistake_in_a_function_of_a_kernel_is_on_its_line(judged) -> None:
    """A function that a kernel calls leaves no trace where it loads nothing; its lines count."""
    source = host(find("triton-softmax"), "blocks_typed")
    report = judged("triton-softmax", source.replace("tl.exp(", "tl.exp2("))
    assert said(report) == [("exp2-without-log2e", line(source, "tl.exp("))]


@needs_triton
def test_keys_left_out_where_nothing_is_causal(judged) -> None:
    """With causal the loop ends elsewhere, and nothing is dropped there."""
    source = host(find("triton-flash"), "fenkuai_zhushi")
    report = judged("triton-flash", source.replace("tl.cdiv(长度, 块)", "长度 // 块"))
    assert said(report) == [("last-block-dropped", line(source, "tl.cdiv(长度, 块)"))]


@needs_triton
@pytest.mark.slow
@pytest.mark.parametrize("kata", KERNELS, ids=lambda kata: kata.id)
def test_the_answer_that_is_shown_compiles_for_cuda(kata: Kata) -> None:
    """What the interpreter takes, the compiler takes too; that needs no GPU."""
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, str(kata.folder / "solution.py")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_without_triton_it_says_what_to_install(monkeypatch) -> None:
    """Where it cannot be imported the kata is there, and its check says how to get it."""
    kata = find("triton-softmax")
    monkeypatch.setattr("attn_kata.kata.catalogue.find_spec", lambda _: None)
    assert kata.lacking == "triton"


def test_a_kata_says_which_packages_it_needs() -> None:
    """What is asked for in kernels has an answer of its own to show."""
    for kata in Folder(path=OWN).katas():
        assert ("triton" in kata.data.get("needs", ())) == kata.own_answer.is_file()


# Compiles every kernel of a file: pointers by their names, constants of 32, else whole numbers.
COMPILE = """
import runpy, sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

made = runpy.run_path(sys.argv[1])
for kernel in [one for one in made.values() if isinstance(one, triton.JITFunction)]:
    fixed = {one.name: 32 for one in kernel.params if one.is_constexpr}
    kinds = {name: "constexpr" if name in fixed else "*fp16" if name.endswith("_ptr") else
             "fp32" if name == "scale" else "i32" for name in kernel.arg_names}
    triton.compile(ASTSource(kernel, kinds, constexprs=fixed), target=GPUTarget("cuda", 80, 32))
"""


SAYS = """
def launch(x):
    grid = (x.shape[0],)
    grid = (1,)
    kernel[grid](x)

def kernel(x, n):
    at = x + 1
    a = tl.load(at, mask=n)
    at += 1
    b = tl.load(at, n, 0.0)
    tl.store(at, b)
    scale = 2.0
    m = tl.zeros([2])
    end = n
    for start in range(0, end, 2):
        new = tl.maximum(m, tl.max(a))
        r = tl.exp(m - new)
        p = tl.exp(a - new[:, None])
        ahead = a[None, :] > n[:, None]
        ahead = a[None, :] > n
        m = new
"""


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("grid", [4]),
        ("load pointer", [8, 10]),
        ("load with mask", [9, 11]),
        ("load with other", [11]),
        ("load other=0", [11]),
        ("load without other", [9]),
        ("store without mask", [12]),
        ("exp of names", [18]),
        ("maximum start", [14]),
        ("for", [16]),
        ("for end", [15]),
        ("compared lanes", [20]),
        ("sets scale", [13]),
    ],
)
def test_statements_of_kernels(words: str, lines: list[int]) -> None:
    """A load, its mask and what stands in place of what it hides, a pointer, and the grid."""
    import ast

    functions = [one for one in ast.parse(SAYS).body if isinstance(one, ast.FunctionDef)]
    found = in_kernel(functions, words)
    assert found is not None
    assert list(found) == lines
    assert in_kernel(functions, "load") is None
