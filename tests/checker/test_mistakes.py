"""Each known mistake, made in the model answers, is rejected and named as itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report import Report
from attn_kata.kata.catalogue import katas
from attn_kata.reference.mistakes import MISTAKES, edited, fits

# Where every projection sees the same x these make the same numbers, so that only the
# calls tell them apart.
TWINS = [
    {"values-from-keys", "weights-on-keys"},
    {"mask-fill-zero", "mask-multiplied"},
]
CLASSES = [kata for kata in katas() if kata.kind == "class"]
ROWS = [
    (kata.id, mistake.id, edit)
    for kata in CLASSES
    for mistake in MISTAKES
    for edit in [next((e for e in mistake.edits if e and fits(e, kata.solution())), None)]
    if edit is not None
]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Report]:
    """Judge every edited model answer."""
    folder = tmp_path_factory.mktemp("mistakes")
    found = {}
    with Bench(2) as bench:
        for kata in CLASSES:
            mine = [(mistake, edit) for name, mistake, edit in ROWS if name == kata.id]
            paths: list[Path] = []
            for mistake, edit in mine:
                path = folder / f"{kata.id}_{mistake}.py"
                source = edited(edit, kata.solution())
                # Some edits call torch functions that the model answer has no use for.
                path.write_text(source.replace("import math\n", "import math\nimport torch\n"))
                paths.append(path)
            made = bench.judge(kata.id, paths, Options(seed=5, timeout=60))
            for (mistake, _), report in zip(mine, made, strict=True):
                found[kata.id, mistake] = report
    return found


@pytest.mark.parametrize(("kata", "mistake"), [row[:2] for row in ROWS])
def test_named_as_itself(kata: str, mistake: str, reports: dict[tuple[str, str], Report]) -> None:
    """An edited model answer is rejected, and its mistake (or a twin of it) comes first."""
    report = reports[kata, mistake]
    assert report.verdict == "fail"
    assert report.diagnosis, "nothing was named"
    named = report.diagnosis[0].mistake
    assert named == mistake or any({named, mistake} <= twins for twins in TWINS)


def test_every_edit_fits_a_model_answer() -> None:
    """No edit is left over from an older wording of the model answers."""
    sources = [kata.solution() for kata in katas()]
    idle = [
        (mistake.id, edit)
        for mistake in MISTAKES
        for edit in mistake.edits
        if edit and not any(fits(edit, source) for source in sources)
    ]
    assert idle == []


def test_sentences_in_both_languages() -> None:
    """Every mistake is explained in English and Chinese."""
    assert all(mistake.words["en"] and mistake.words["zh"] for mistake in MISTAKES)
