"""Report screens, held against stored ones. REGENERATE_GOLDEN=1 writes them anew."""

import os
from pathlib import Path

import pytest
from attn_kata.checker.report.ids import CHECK_IDS
from attn_kata.checker.report.message import say as judge_says
from attn_kata.checker.report.report import (
    Check,
    Crash,
    Departure,
    Diagnosis,
    Difference,
    Fault,
    Part,
    Remark,
    Report,
    Step,
)
from attn_kata.terminal.look import Look
from attn_kata.terminal.onward import again
from attn_kata.terminal.report import quiet_line, report_lines
from attn_kata.terminal.screen import Screen
from attn_kata.terminal.text import cells, written
from attn_kata.terminal.verdicts import Manner, Verdicts

GOLDEN = Path(__file__).parent / "golden"
WRITE = "REGENERATE_GOLDEN"

SOURCE = (
    "class MultiHeadAttention(nn.Module):\n"
    "    def forward(self, x):\n"
    "        scores = q @ k.transpose(-2, -1)\n"
    "        scores = scores / math.sqrt(self.hidden_dim)\n"
    "        weights = scores.softmax(dim=-1)\n"
).splitlines()

TOLD = {
    "en": "line 4 divides by √hidden_dim; each head's scores need √head_dim",
    "zh": "第 4 行除以了 √hidden_dim；每个 head 的分数需要除以 √head_dim",
}
NOTED = {
    "en": "`print` runs on every call; take it out before you hand the code in",
    "zh": "每次调用都会执行 `print`，交卷前请删掉",
}


def failing(language):
    """A wrong scale, with everything that waits for values."""
    waits = judge_says("waits", check="values")
    waiting = ("mask", "gradients", "dropout", "dtypes", "stability", "lengths")
    checks = [
        Check(id=name, status="skip", detail=waits)
        if name in waiting
        else Check(id=name, status="pass")
        for name in CHECK_IDS
        if name not in {"values", "causality"}
    ]
    case = "batch 1, length 2, no mask"
    detail = judge_says("fail-values", failed=14, cases=24, case=case)
    checks.append(Check(id="values", status="fail", cases=24, detail=detail))
    checks.append(Check(id="causality", status="skip", detail=judge_says("not-asked")))
    return Report(
        kata="mha",
        file="mine.py",
        object="MultiHeadAttention",
        verdict="fail",
        checks=checks,
        diagnosis=[
            Diagnosis(
                mistake="scale-by-hidden-dim",
                message=TOLD[language],
                line=4,
                yours="scores = scores / math.sqrt(self.hidden_dim)",
                reference="scores = products / math.sqrt(self.head_dim)",
                matches="scores = products / math.sqrt(self.hidden_dim)",
            ),
            Diagnosis(mistake="dropout-on-output", message=NOTED[language], line=5),
        ],
        remarks=[Remark(id="prints", message=NOTED[language], line=2)],
        difference=Difference(
            case=case,
            max_abs=0.9,
            at=[0, 1, 2],
            expected_shape=[1, 2, 3],
            actual_shape=[1, 2, 3],
            axes=["batch", "length", "hidden_dim"],
            wrong=5,
            total=6,
            expected=[[-0.139, -0.813, 2.96], [-0.735, 2.91, 0.0181]],
            actual=[[0.471, -0.813, float("nan")], [-0.528, 2.55, -0.877]],
            tolerance=1e-5,
        ),
        seed=4127,
        elapsed_ms=412,
        printed="hi\n" * 12,
    )


def passing(language):
    """Everything passes, with a remark."""
    asked = {"mask", "causality"}
    checks = [
        Check(
            id=name,
            status="pass",
            cases=at,
            detail={"en": "widths 8, 12, float64", "zh": "宽度 8, 12，float64"}[language],
        )
        for at, name in enumerate(CHECK_IDS)
        if name not in asked
    ]
    skipped = [Check(id=name, status="skip", detail=judge_says("not-asked")) for name in asked]
    return Report(
        kata="v1",
        file="v1.py",
        object="SelfAttentionV1",
        verdict="pass",
        checks=[*checks, *sorted(skipped, key=lambda check: check.id)],
        remarks=[Remark(id="prints", message=NOTED[language], line=2)],
        trace=[
            Step(line=3, call="matmul", shape=[2, 5, 5], milestone="products"),
            Step(line=4, call="div", shape=[2, 5, 5], milestone="scores"),
        ],
        seed=7,
        elapsed_ms=999,
    )


def broken(language):
    """It raised on the first call."""
    told = judge_says(
        "direct-raised",
        call="forward(x)", kind="RuntimeError", at=judge_says("at", line=4),
        reason="bad [bold]\x1b[31mshape",
    )  # fmt: skip
    return Report(
        kata="mha",
        file="mine.py",
        object="MultiHeadAttention",
        verdict="error",
        error=Fault(kind="forward", message=told, line=4),
        seed=3,
        elapsed_ms=31,
    )


def misshapen(language):
    """The output has another width."""
    return Report(
        kata="mha",
        file="mine.py",
        verdict="fail",
        checks=[Check(id="shape", status="fail", detail="(2, 5, 11)")],
        difference=Difference(
            case="batch 2, length 5, hidden_dim 12",
            axes=["batch", "length", "hidden_dim"],
            expected_shape=[2, 5, 12],
            actual_shape=[2, 5, 11],
        ),
        seed=1,
    )


def crashing(language):
    """A check fails by an exception, which a mistake with a name is behind."""
    told = judge_says(
        "crash-on-line", line=3, kind="RuntimeError", case="batch 1, length 2",
        reason="The size of tensor a (3) must match the size of tensor b (5)",
    )  # fmt: skip
    shapes = [
        judge_says("operand", text=text, shape=shape)
        for text, shape in (("q", "(2, 3, 5, 4)"), ("k.T", "(4, 5, 3, 2)"))
    ]
    parts = judge_says("listed", parts=shapes)
    more = judge_says("crash-operands-cause", shapes=parts, cause=judge_says("crash-all-axes"))
    return Report(
        kata="mha",
        file="mine.py",
        verdict="fail",
        checks=[
            Check(id="mask", status="fail", detail="batch 1"),
            Check(id="rules", status="pass"),
        ],
        crash=Crash(check="mask", message=told, line=3, help=more),
        diagnosis=[Diagnosis(mistake="batch-fixed", message=NOTED[language], line=3)],
    )


def unfinished(language):
    """Some functions are right, and nothing that is written is wrong."""
    waits = judge_says("waits-for", name="key_mask")
    return Report(
        kata="drill-mask",
        file="mine.py",
        verdict="error",
        error=Fault(kind="forward", message="1 of 4", line=4),
        functions=[
            Part(name="padding_mask", status="pass", line=1),
            Part(name="key_mask", status="waits", line=4),
            Part(name="combined_mask", status="waits", line=4, message=waits),
            Part(name="additive_mask", status="waits"),
        ],
    )


def partly(language):
    """One function is right, two are wrong, one is not written."""
    case = judge_says("fail-values", failed=3, cases=4, case="length 3")
    ended = judge_says("ended-processes", phase=judge_says("phase-forward"))
    return Report(
        kata="drill-mask",
        file="mine.py",
        verdict="error",
        error=Fault(kind="crash", message=ended, line=2),
        checks=[
            Check(
                id="values",
                status="fail",
                detail=judge_says("direct-of", name="causal_mask", text=case),
            )
        ],
        diagnosis=[Diagnosis(mistake="scale-by-hidden-dim", message=TOLD[language], line=4)],
        functions=[
            Part(name="padding_mask", status="pass", line=1),
            Part(name="key_mask", status="fail", line=2, message=ended),
            Part(name="causal_mask", status="fail", line=4, message=case),
            Part(name="additive_mask", status="waits", line=5),
        ],
    )


SCREENS = {
    "fail": failing, "pass": passing, "pass-short": passing, "error": broken, "shape": misshapen,
    "crash": crashing, "unfinished": unfinished, "partly": partly,
}  # fmt: skip


def drawn(name, language, width):
    """Draw one of the screens as text."""
    report = SCREENS[name](language)
    look = Look(
        language=language,
        width=width,
        source=SOURCE,
        trace=name == "pass",
        checks="count" if name == "pass-short" else "some",
        commands=[("again", again(report, ()))],
    )
    return "".join(f"{written(line)}\n" for line in report_lines(report, look))


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", SCREENS)
def test_screen_is_the_stored_one(name, language, width):
    """A report is drawn as it was when a person last looked at it."""
    file = GOLDEN / f"{name}.{language}.{width}.txt"
    text = drawn(name, language, width)
    if os.environ.get(WRITE):
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8"), f"if this is better: {WRITE}=1 pytest {__file__}"


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", SCREENS)
def test_no_line_is_wider_than_the_screen(name, language, width):
    """Lines fit, but for commands, which are there to be copied whole."""
    for row in drawn(name, language, width).splitlines():
        assert cells(row) <= width or "attn-kata check" in row


@pytest.mark.parametrize("language", ["en", "zh"])
def test_failing_screen_fits_a_terminal(language):
    """A failing screen leaves room for the prompt on 24 lines."""
    assert len(drawn("fail", language, 80).splitlines()) <= 25


def test_wrong_numbers_are_marked_without_colour():
    """Each wrong cell carries a sign, right ones carry none, NaN is wrong."""
    text = drawn("fail", "en", 80)
    assert "0.471*" in text
    assert "nan*" in text
    assert "-0.813*" not in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_narrow_screens_have_the_numbers_too(language):
    """Where two tables have room for fewer columns, they are shown with fewer."""
    rows = drawn("fail", language, 50).splitlines()
    table = [row for row in rows if row.count("│") == 1 and "*" in row]
    assert len(table) > 1
    assert all(cells(row) <= 50 for row in table)


@pytest.mark.parametrize(
    ("width", "language", "words"),
    [
        (80, "en", "all calls tried again agree"),
        (80, "zh", "重试的调用都一致"),
        (48, "en", "all calls tried again agree"),
        (48, "zh", "重试的调用都一致"),
    ],
)
def test_a_line_that_an_edit_mends_is_shown_as_it_would_be(width, language, words):
    """In place of the model answer's two; what it is worth stands beside it, or below."""
    report = failing(language)
    report.diagnosis[0].mended = "scores = scores / math.sqrt(self.head_dim)"
    look = Look(language=language, width=width, source=SOURCE)
    rows = [written(line) for line in report_lines(report, look)]
    at = next(n for n, row in enumerate(rows) if row.lstrip().startswith("+ │"))
    assert "math.sqrt(self.head_dim)" in rows[at] + rows[at + 1]
    assert words in "".join(row.partition("│")[2] for row in rows[at : at + 4])
    assert not any(row.lstrip().startswith("- │") for row in rows)
    assert max(map(cells, rows)) <= width


@pytest.mark.parametrize(
    ("language", "words"), [("en", "without this line, all calls"), ("zh", "去掉这一行")]
)
def test_a_line_too_many_is_told(language, words):
    """Where all is right without a line, nothing stands in its place."""
    report = failing(language)
    report.diagnosis[0].mended = ""
    rows = [written(line) for line in report_lines(report, Look(language=language, source=SOURCE))]
    (told,) = [row for row in rows if words in row]
    assert told.lstrip().startswith("│")
    assert not any(row.lstrip().startswith(("+ │", "- │")) for row in rows)


def test_user_text_cannot_move_the_cursor_or_recolour():
    """Escapes in what the code raised are spelt out, markup stays as it is."""
    text = drawn("error", "en", 80)
    assert "\x1b" not in text
    assert "[bold]\\x1b[31mshape" in text


def test_a_line_that_changed_since_is_not_shown_as_the_fault():
    """Where the file no longer has the line, the judged line is shown alone."""
    report = failing("en")
    look = Look(language="en", source=["x = 1"] * 9)
    rows = [written(line) for line in report_lines(report, look)]
    assert any("math.sqrt(self.hidden_dim)" in row for row in rows)
    assert not any("x = 1" in row for row in rows)


@pytest.mark.parametrize(("checks", "labels"), [("all", ["next", "again"]), ("count", ["next"])])
def test_a_short_pass_names_one_command(checks, labels):
    """In three lines there is room for what comes next."""
    verdicts = Verdicts(Screen("en"), [], Manner(checks=checks))
    assert [label for label, _ in verdicts._commands(passing("en"))] == labels


@pytest.mark.parametrize(
    ("command", "told"), [("check mha x.py", True), ("check --mask drop", False)]
)
def test_another_meaning_of_the_mask_is_offered_where_commands_are(command, told):
    """Once, and not where one was chosen, or where nothing can be typed, as in an interview."""
    diagnosis = [Diagnosis(mistake="mask-inverted", line=3, message="wrong way round")]
    report = Report(kata="mha", file="x.py", verdict="fail", diagnosis=diagnosis)
    looks = [Look(language="en", commands=[("again", command)]), Look(language="en")]
    drawn = ["\n".join(map(written, report_lines(report, look))) for look in looks]
    assert ["judged with `--mask drop`" in one for one in drawn] == [told, False]


def test_again_repeats_options_and_quotes_odd_names():
    """The command can be pasted into a shell."""
    report = Report(kata="mha", file="-my 'file'\n.py", verdict="pass", seed=5)
    command = again(report, ("--mask", "drop"))
    assert command == r"attn-kata check mha $'-my \'file\'\n.py' --mask drop --seed 5"
    plain = Report(kata="v1", file="-x.py", verdict="pass", seed=5)
    assert again(plain, ()) == "attn-kata check v1 ./-x.py --seed 5"


def test_printed_lines_are_folded_or_shown():
    """What the code printed takes a line, unless it is asked for."""
    report = failing("en")
    folded = [written(line) for line in report_lines(report, Look(language="en"))]
    shown = [written(line) for line in report_lines(report, Look(language="en", output=True))]
    assert any("printed 12 lines" in row for row in folded)
    assert sum(row.strip() == "│ hi" for row in shown) == 12


def test_the_first_step_that_differs_stands_for_a_name():
    """Where no mistake has a name, the step that departs is the reason, with its line."""
    report = failing("en")
    report.diagnosis = []
    report.departure = Departure(milestone="scores", line=4, since=3, message="every entry is off")
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert "  × the first step that differs is `scores`, on line 4: every entry is off" in rows
    assert any(row.startswith("  >  4 │") for row in rows)
    report.diagnosis = failing("en").diagnosis
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert not any("first step" in row for row in rows)


def test_an_output_of_another_shape_is_said_in_the_headline():
    """Where only the output differs and is of another shape, the shapes are the reason."""
    report = failing("en")
    report.diagnosis = []
    report.departure = Departure(milestone="output", line=None, since=3)
    report.difference = Difference(case="batch 2", actual_shape=[], expected_shape=[2, 5])
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert "  × the output is (); its shape has to be (2, 5)" in rows
    report.difference.gradient = True
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert not any("×" in row for row in rows)


def test_where_a_result_is_wrong_stands_for_a_line():
    """Where the step that departs has no line, which part is wrong is the reason; else below."""
    report = failing("en")
    report.diagnosis = []
    report.departure = Departure(milestone="scores", line=None, since=3)
    report.difference = Difference(case="batch 2", where="wrong at heads 1, right at heads 0")
    part = "wrong at heads 1, right at heads 0"
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert f"  × in the smallest case that fails: {part}" in rows
    assert f"    {part}" not in rows
    report.departure.line = 4
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert f"    {part}" in rows
    report.diagnosis = failing("en").diagnosis
    rows = [written(line) for line in report_lines(report, Look(language="en", source=SOURCE))]
    assert not any(part in row for row in rows)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_short_forms(language):
    """A pass counts its checks in a line; a quiet report is one line, with what is wrong first."""
    checks = [Check(id="values", status="pass", cases=3), Check(id="mask", status="pass", cases=4)]
    passed = Report(kata="mha", file="a.py", verdict="pass", checks=checks)
    look = Look(language=language, checks="count")
    shown = [written(line) for line in report_lines(passed, look)]
    assert len(shown) <= 4
    assert "2" in shown[1]
    assert "7" in shown[1]
    wrong = Diagnosis(mistake="scale-missing", message="…", line=4)
    failed = Report(kata="mha", file="a.py", verdict="fail", diagnosis=[wrong])
    assert written(quiet_line(failed, language)).endswith("mha  a.py:4  scale-missing")
    assert written(quiet_line(passed, language)).endswith("mha  a.py")
    word = {"en": "UNFINISHED  ", "zh": "未写完  "}[language]
    assert written(quiet_line(unfinished(language), language)).startswith(word)


def test_what_each_call_printed_stands_apart_and_is_capped():
    """A rule stands between two calls; five of them are shown, and twelve rows of each."""
    calls = ["made\n" * 30, *(f"call {number}\n" for number in range(9))]
    starts = [sum(map(len, calls[:place])) for place in range(1, len(calls))]
    report = Report(
        kata="v1", file="v1.py", verdict="pass", printed="".join(calls), printed_from=starts
    )
    rows = [
        written(line).strip() for line in report_lines(report, Look(language="en", output=True))
    ]
    assert sum(row == "│ made" for row in rows) == 12
    assert "│ … 18 more lines" in rows
    assert [row for row in rows if "call" in row][:4] == [f"│ call {number}" for number in range(4)]
    assert sum(row == "├──" for row in rows) == 4
    assert any(row.startswith("later calls printed as well") for row in rows)


def test_what_is_said_of_functions_stands_in_one_column():
    """However long the longest name is."""
    case = judge_says("fail-values", failed=3, cases=4, case="length 3")
    report = Report(kata="split-k", file="mine.py", verdict="fail")
    report.functions = [
        Part(name="merge", status="fail", line=2, message=case),
        Part(name="split_k_attention", status="fail", line=9, message=case),
    ]
    rows = [written(line) for line in report_lines(report, Look(language="en", width=120))]
    said = [row.index("line ") for row in rows if "3 of 4" in row]
    assert len(said) == 2
    assert len(set(said)) == 1
