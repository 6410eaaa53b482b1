"""Each known mistake, made in the model answers, is rejected and named as itself."""

from __future__ import annotations

import pytest
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.slips import with_number
from attn_kata.reference.mistakes import MISTAKES, edited, fits

# Where every projection sees the same x these make the same numbers, so that only the
# calls tell them apart.
TWINS = [
    {"values-from-keys", "weights-on-keys"},
    {"mask-fill-zero", "mask-multiplied"},
]
CLASSES = [kata for kata in katas() if kata.kind == "class"]
ROWS = [
    (kata, mistake, number)
    for kata in CLASSES
    for mistake in MISTAKES
    for number, edit in enumerate(mistake.edits)
    if edit and fits(edit, kata.solution())
]
NAMES = [f"{kata.id}-{mistake.id}-{number}" for kata, mistake, number in ROWS]


@pytest.mark.parametrize(("kata", "mistake", "number"), ROWS, ids=NAMES)
def test_named_as_itself(kata, mistake, number: int, first_faults, judged) -> None:
    """Each edit of a model answer is rejected, and its mistake (or a twin of it) comes first."""
    source = edited(next(with_number(mistake.edits[number], ["-10.0"])), kata.solution())
    # Some edits call torch functions that the model answer has no use for.
    source = source.replace("import math\n", "import math\nimport torch\n")
    if not named(first_faults(kata.id, source), mistake.id):
        # The first fault may be another mistake's too; all that a check finds is not.
        report = judged(kata.id, source)
        assert named(report, mistake.id), (report.verdict, report.diagnosis, report.error)


def named(report: Report, mistake: str) -> bool:
    """Whether a report rejects a file for this mistake first, or for one that it cannot tell.

    Where torch raises, that is an error with the mistake behind it.
    """
    first = report.diagnosis[0].mistake if report.diagnosis else ""
    twins = any({first, mistake} <= some for some in TWINS)
    return report.verdict in {"fail", "error"} and (first == mistake or twins)


def test_what_raises_is_named_by_its_words(judged) -> None:
    """Queries made of the key end in torch's words about the output; they name no view of it."""
    before = "queries = self.query_proj(query).view(query_split)"
    source = find("cross").solution()
    assert before in source
    report = judged(
        "cross", source.replace(before, "queries = self.query_proj(key).view(key_split)")
    )
    assert report.verdict == "error"
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("cross-wrong-source", None)]


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
