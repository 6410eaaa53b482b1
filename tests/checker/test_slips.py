"""Each mistake of a kata judged directly, made in its model answer, is rejected and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.slips import BadSlips, edited, fits, slips, variants, with_number

# What is edited is written in torch: of kernels the corpora hold what is named.
KATAS = [kata for kata in katas() if not kata.kernels]


def one_layer(kata) -> bool:
    """Whether the model answer makes queries, keys and values in one layer."""
    module = kata.asked.functions[0].module
    return module is not None and bool(module.stacks)


ROWS = [
    (kata, slip, number)
    for kata in KATAS
    for slip in slips(kata.folder)
    for number in range(len(slip.edits))
    # In what order one layer makes queries and keys is one's own affair.
    if slip.id != "query-key-swapped" or not one_layer(kata)
]
NAMES = [f"{kata.id}-{slip.id}-{number}" for kata, slip, number in ROWS]
# What is too large, or done again, is said besides.
BESIDES = {"tensor-too-large", "state-too-large", "cache-recomputed"}


@pytest.mark.enumeration
@pytest.mark.parametrize(("kata", "slip", "number"), ROWS, ids=NAMES)
def test_named_as_itself(kata, slip, number: int, first_faults, judged) -> None:
    """Each edit of the model answer is rejected, and its mistake is named, with a line.

    In each function that has it. Where nothing is computed, because torch raises, that is an
    error with the mistake behind it.
    """
    source = edited(written(slip, number), kata.solution())
    if not named(first_faults(kata.id, source), slip.id, source):
        # The first fault may be another mistake's too; all that a check finds is not.
        report = judged(kata.id, source)
        assert named(report, slip.id, source), (report.verdict, report.diagnosis, report.error)


@pytest.mark.slow
@pytest.mark.enumeration
@pytest.mark.parametrize(("kata", "slip", "number"), ROWS, ids=NAMES)
def test_named_by_a_whole_check(kata, slip, number: int, judged) -> None:
    """The same, by all that a check does, in processes of its own."""
    source = edited(written(slip, number), kata.solution())
    assert named(judged(kata.id, source), slip.id, source)


def written(slip, number: int):
    """An edit, with a number where it takes any."""
    return next(with_number(slip.edits[number], [slip.number]))


def named(report: Report, mistake: str, source: str) -> bool:
    """Whether a report rejects a file for this mistake alone, on a line."""
    told = {(one.mistake, one.line is not None) for one in report.diagnosis}
    # An edit that takes exp of scores as they are, or less a maximum that is not the row's, makes
    # that mistake as well.
    uneven = ("scores.exp()", "scores.amax()).exp()", "(-2, -1), keepdim=True)).exp()")
    besides = BESIDES | ({"softmax-unstable"} if any(how in source for how in uneven) else set())
    told -= {(name, True) for name in besides - {mistake}}
    return report.verdict in {"fail", "error"} and told == {(mistake, True)}


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_variants_pass(kata, judged) -> None:
    """What is called a variant of the model answer is right."""
    for edit in variants(kata.folder):
        assert judged(kata.id, edited(edit, kata.solution())).verdict == "pass"


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
        ("[[mistake]]\nshared = ['none-such']", "`none-such` is not among the shared"),
        ("[[mistake]]\nshared = []\nen = 'x'", "in a row of its own"),
        ("[[mistake]]\nof = 'block'\nbut = ['none-such']", "not among the mistakes of block"),
        ("[[mistake", "array declaration"),
    ],
)
def test_bad_file(tmp_path: Path, text: str, told: str) -> None:
    """A file of mistakes that cannot be read says which row, and what is wrong with it."""
    (tmp_path / "mistakes.toml").write_text(text)
    with pytest.raises(BadSlips, match=told):
        slips(tmp_path)


SHARED = """
[parts]
width = "head_dim"
root = "math.sqrt({width})"
[[mistake]]
id = "scale-missing"
group = "scale"
en = "not divided by {width}"
zh = "没有除以 {width}"
edits = [[["x / {root}", "x"]]]
"""


def test_what_is_shared_is_said_once(tmp_path: Path) -> None:
    """A kata takes a shared row whole, or says what is otherwise; templates have its own parts."""
    rows = {
        "one": "[[mistake]]\nshared = ['scale-missing']",
        "two": "[parts]\nwidth = 'width'\n[[mistake]]\nid = 'scale-missing'\nen = 'no {root}, {}'",
    }
    (tmp_path / "mistakes.toml").write_text(SHARED)
    for name, text in rows.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "mistakes.toml").write_text(text)
    (one,), (two,) = slips(tmp_path / "one"), slips(tmp_path / "two")
    assert one.words == {"en": "not divided by head_dim", "zh": "没有除以 head_dim"}
    assert one.edits == ((("x / math.sqrt(head_dim)", "x"),),)
    assert two.words == {"en": "no math.sqrt(width), {}", "zh": "没有除以 width"}
    assert (two.edits, two.group) == (((("x / math.sqrt(width)", "x"),),), "scale")


def test_what_raises_is_named_by_its_words(judged) -> None:
    """Queries made of the key end in torch's words about the output; they name no view of it."""
    before = "queries = self.query_proj(query).view(query_split)"
    source = find("cross").solution()
    assert before in source
    report = judged(
        "cross", source.replace(before, "queries = self.query_proj(key).view(key_split)")
    )
    assert report.verdict == "error"
    assert [one.mistake for one in report.diagnosis] == ["cross-wrong-source"]
