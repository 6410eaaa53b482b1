"""Each mistake of a kata judged directly, made in its model answer, is rejected and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report import Report
from attn_kata.kata.catalogue import katas
from attn_kata.kata.slips import BadSlips, slips, variants
from attn_kata.reference.mistakes import edited, fits

KATAS = [kata for kata in katas() if kata.kind != "class"]
ROWS = [
    (kata, slip, number)
    for kata in KATAS
    for slip in slips(kata.folder)
    for number in range(len(slip.edits))
]
NAMES = [f"{kata.id}-{slip.id}-{number}" for kata, slip, number in ROWS]
# A mistake's other edits take as long again as the first of each.
MARKED = [
    pytest.param(name, marks=[pytest.mark.slow] if number else [])
    for name, (_, _, number) in zip(NAMES, ROWS, strict=True)
]


@pytest.fixture(scope="module")
def reports(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> dict[str, Report]:
    """Judge every edited model answer that is asked for, and every variant of one."""
    slow = pytestconfig.getoption("--slow")
    folder = tmp_path_factory.mktemp("slips")
    found: dict[str, Report] = {}
    with Bench(2) as bench:
        for kata in KATAS:
            texts = {
                name: edited(slip.edits[number], kata.solution())
                for name, (owner, slip, number) in zip(NAMES, ROWS, strict=True)
                if owner is kata and (slow or number == 0)
            }
            for number, edit in enumerate(variants(kata.folder)):
                texts[f"{kata.id}-variant-{number}"] = edited(edit, kata.solution())
            paths: list[Path] = []
            for name, text in texts.items():
                paths.append(folder / f"{name}.py")
                paths[-1].write_text(text)
            made = bench.judge(kata.id, paths, Options(seed=5, timeout=60))
            found.update(zip(texts, made, strict=True))
    return found


@pytest.mark.parametrize("name", MARKED)
def test_named_as_itself(name: str, reports: dict[str, Report]) -> None:
    """An edited model answer is rejected, and its mistake is named, with a line.

    In each function that has it; a matrix or a state that is too large besides is said as well.
    Where nothing is computed, because torch raises, that is an error with the mistake behind it.
    """
    _, slip, _ = ROWS[NAMES.index(name)]
    report = reports[name]
    assert report.verdict in {"fail", "error"}, report.error
    told = {(one.mistake, one.line is not None) for one in report.diagnosis}
    too_large = {("tensor-too-large", True), ("state-too-large", True)}
    assert told - too_large == {(slip.id, True)}


@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_variants_pass(kata, reports: dict[str, Report]) -> None:
    """What is called a variant of the model answer is right."""
    for number in range(len(variants(kata.folder))):
        assert reports[f"{kata.id}-variant-{number}"].verdict == "pass"


@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_every_edit_fits(kata) -> None:
    """No edit is left over from an older wording of the model answer."""
    every = [*(e for s in slips(kata.folder) for e in s.edits), *variants(kata.folder)]
    assert [edit for edit in every if not fits(edit, kata.solution())] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[mistake]]\nen = 'x'", "no id"),
        ("[[mistake]]\nid = 'a'\nen = 'x'\nedits = [[['b', 'c']]]", "no sentence in `zh`"),
        ("[[mistake]]\nid = 'a'\nen = 'x'\nzh = 'y'", "has no edits"),
        ("[[mistake]]\nid = 'a'\nen = 'x'\nzh = 'y'\nedits = [['b', 'c']]", "is to be"),
        ("[[mistake]]\nid = 'a'\nenglish = 'x'", "no key english"),
        ("[[mistake]]\nid = 'a'\nen = 'x'\nzh = 'y'\ngroup = 'z'", "has group 'z'"),
        ("[[mistake", "array declaration"),
    ],
)
def test_bad_file(tmp_path: Path, text: str, told: str) -> None:
    """A file of mistakes that cannot be read says which row, and what is wrong with it."""
    (tmp_path / "mistakes.toml").write_text(text)
    with pytest.raises(BadSlips, match=told):
        slips(tmp_path)
