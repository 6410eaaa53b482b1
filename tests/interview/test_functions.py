"""Steps that stand on no class contract: told, handed out and judged from the kata's own data."""

import ast
from dataclasses import fields, replace
from typing import Any

import pytest
from attn_kata.checker.judge.rules import GROUPS
from attn_kata.checker.report.ids import MISTAKE_IDS
from attn_kata.checker.report.report import Diagnosis, Fault, Part, Report
from attn_kata.kata import catalogue
from attn_kata.kata.catalogue import LANGUAGES, find, katas
from attn_kata.kata.functions import Memory
from attn_kata.kata.slips import slips
from attn_kata.practice.interview.handout import blank, signatures
from attn_kata.practice.interview.hearing.topics import topics_heard
from attn_kata.practice.interview.judging import Examiner, weigh
from attn_kata.practice.interview.plan import plan_called, plan_names
from attn_kata.practice.interview.requirements import (
    DRAWN,
    answer,
    answers,
    draw,
    matters,
    topics,
    value,
)
from attn_kata.practice.interview.stated import passage, rules, shapes
from attn_kata.practice.interview.texts import table
from attn_kata.practice.interview.voices import group_of

FREE = [kata for kata in katas() if kata.promised is None]
DRAWN_SO = {**draw(1, "junior"), "meaning": "drop", "entries": "int", "precision": "any"}


def said(text, kata, language="en", drawn=DRAWN_SO):
    """What the interviewer answers to a line."""
    heard = topics_heard(text).topics
    return answers([one for one in topics() if one.id in heard], kata, drawn, language)


@pytest.mark.parametrize("kata", FREE, ids=lambda kata: kata.id)
def test_what_is_handed_out_has_the_names_and_nothing_else(kata):
    """The file is Python, defines what is asked for under its names, and answers nothing."""
    tree = ast.parse(blank(kata))
    defined = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    given = [n.name for n in defined if "write me" not in ast.unparse(n)]
    given_by = {"minigpt-cache": ["Cache"], "minigpt-classifier": ["Block", "GPT"]}
    assert given == given_by.get(kata.id, [])
    asked = [n for n in defined if n.name not in given]
    assert [n.name for n in asked] == list(kata.names)
    assert not any(map(ast.get_docstring, asked))
    if kata.kind == "function":
        assert signatures(kata) == tuple(one.signature for one in kata.asked.functions)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_class_that_is_given_is_handed_out_whole(language):
    """It stands in the file as in the stub, and the file can be imported."""
    kata = find("minigpt-cache")
    text, stub = blank(kata, language), kata.stub(language)
    given = stub[stub.index("class Cache:") : stub.index("class CachedGPT")].rstrip()
    assert given in text
    names: dict[str, Any] = {}
    exec(compile(text, "interview.py", "exec"), names)
    assert names["Cache"]().length == 0


def test_the_file_of_a_class_is_as_it_was():
    """A step with a class contract leaves names and signature open."""
    assert "class Attention(nn.Module):" in blank(find("v1"))


def test_only_what_the_judge_can_be_told_is_drawn():
    """What a mask means stands in the kata's brief; the precision alone is the interview's."""
    for kata in FREE:
        assert [one for one in DRAWN if matters(one, kata, DRAWN_SO)] == ["precision"]
        assert value("meaning", kata, DRAWN_SO) in {"keep", "none"}


def test_shapes_are_told_in_the_names_of_the_axes():
    """Every tensor with its shapes; functions that take the same are told together."""
    assert "query: (batch, heads, query_length, head_dim)" in shapes(find("sdpa"))
    assert "-> (batch, heads, query_length, value_dim)" in shapes(find("sdpa"))
    for kata in FREE:
        told = shapes(kata)
        tensors = [one for each in kata.asked.functions for one in each.arguments if one.shapes]
        assert all(f"{one.name}: (" in told for one in tensors)
        assert max(map(len, told.split("\n"))) <= 76


def test_rules_are_told_in_words():
    """What is asked for and what is forbidden, and each group of calls has its words."""
    assert "logsumexp" in rules(find("drill-softmax"), "en")
    assert rules(find("sdpa"), "en") == ""
    assert set(table("clarifications.toml")["calls"]) == set(GROUPS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_on_memory_is_told(language, monkeypatch):
    """What a step is judged by is said when somebody asks what may be used."""

    def told(kata, function, memory):
        asked = replace(kata.asked, functions=(replace(function, memory=memory),))
        with monkeypatch.context() as patch:
            patch.setattr(catalogue, "_asked", lambda _: asked)
            return rules(kata, language)

    for kata, function in [(free, one) for free in FREE for one in free.asked.functions]:
        whole = told(kata, function, function.memory)
        for field in fields(Memory):
            silent = replace(function.memory, **{field.name: field.default})
            asked = getattr(function.memory, field.name) != field.default
            assert (told(kata, function, silent) != whole) is asked, (kata.id, field.name)
    assert "latent_dim + rope_dim" in rules(find("mla"), language)
    assert "(length, length)" in rules(find("linear"), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_brief_says_what_is_asked(language):
    """Where no sentence is ready, the brief's section on what is asked is the answer."""
    heading = {"en": "## What is asked for", "zh": "## 要写什么"}[language]
    for kata in FREE:
        assert f"{heading}\n\n{passage(kata, language)}\n\n## " in kata.brief(language), kata.id


@pytest.mark.parametrize(
    ("text", "kata", "words"),
    [
        ("what does 1 mean in the mask?", "sdpa", "1 or True means that a query may attend"),
        ("is there a mask?", "sdpa", "its own switch"),
        ("is there a mask?", "drill-softmax", "(batch, 1, 1, key_length)"),
        ("what are the names of the functions?", "drill-softmax", "masked_softmax(scores, mask)"),
        ("may I use torch.softmax, is it allowed?", "drill-softmax", "without torch's softmax"),
        ("may I use einsum?", "sdpa", "einsum and einops are fine"),
        ("which shapes?", "sdpa", "value: (batch, heads, key_length, value_dim)"),
        ("what of an empty row?", "drill-softmax", "its gradients are 0 too"),
        ("what of an empty row?", "sdpa", "no agreed answer"),
        ("is there a bias?", "sdpa", "no layers"),
        ("dropout?", "sdpa", "No dropout"),
        ("which dtype?", "sdpa", "in half precision too"),
    ],
)
def test_questions_get_the_katas_own_answers(text, kata, words):
    """Names, shapes, masks and rules come from the kata."""
    assert words in " ".join(" ".join(said(text, find(kata))).split())


def test_the_brief_is_told_once():
    """Two topics that it answers are one answer; what was drawn is told beside it."""
    drill = find("drill-softmax")
    assert said("which shapes, and what of an empty row?", drill) == [passage(drill, "en")]
    assert len(said("which shapes, and which dtype?", drill)) == 2


def test_a_kata_of_an_unknown_kind_is_told_by_its_stub_and_brief(monkeypatch):
    """A kata that has neither contract nor functions: no question finds nothing to say."""
    known = find("sdpa")
    nothing = replace(known.asked, functions=())
    unknown = replace(known, kind="another")
    monkeypatch.setattr(catalogue, "_asked", lambda _: nothing)
    for topic in topics():
        for language in LANGUAGES:
            assert answer(topic, unknown, DRAWN_SO, language)


@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_every_mistake_of_every_kata_has_a_voice(kata):
    """Whatever is named, the interviewer has a sentence about it, listed or by its group."""
    voices = table("voices.toml")
    for name in (*MISTAKE_IDS, *(slip.id for slip in slips(kata.folder))):
        diagnosis = [Diagnosis(mistake=name, message="")]
        report = Report(kata=kata.id, file="x.py", verdict="fail", diagnosis=diagnosis)
        group = group_of(report)
        assert group in voices
        grouped = [slip for slip in slips(kata.folder) if slip.id == name and slip.group != "step"]
        assert group != "unknown" or not grouped, name


@pytest.mark.parametrize(
    ("kata", "mistake", "group"),
    [
        ("sdpa", "causal-from-start", "causal"),
        ("drill-softmax", "max-over-all", "overflow"),
        ("drill-softmax", "axis-ignored", "softmax"),
        ("drill-softmax", "log-missing", "unknown"),
        ("sdpa", "scale-missing", "scale"),
    ],
)
def test_a_mistake_of_a_katas_own_has_a_general_voice(kata, mistake, group):
    """By the beginning of its name, else by how its line is found, else by no more than numbers."""
    diagnosis = [Diagnosis(mistake=mistake, message="")]
    assert group_of(Report(kata=kata, file="", verdict="fail", diagnosis=diagnosis)) == group


def test_what_is_not_found_is_no_crash():
    """A file without the function is told so."""
    fault = Fault(kind="no-class", message="", line=None)
    assert group_of(Report(kata="sdpa", file="", verdict="error", error=fault)) == "names"


@pytest.fixture(scope="module")
def examiner():
    """The real judge, loaded once."""
    with Examiner() as found:
        yield found


@pytest.mark.each_kata
@pytest.mark.parametrize(
    "kata",
    dict.fromkeys(
        tier.kata
        for name in plan_names()
        for tier in plan_called(name).tiers
        if tier.kata.promised is None and not tier.kata.kernels
    ),
    ids=lambda kata: kata.id,
)
def test_model_answers_pass_whatever_is_drawn_and_mistakes_do_not(examiner, kata):
    """A mask drawn to mean something else is another step's matter."""
    report = examiner.judge(kata, "mine.py", kata.solution(), DRAWN_SO)
    outcome = weigh(report, kata.solution(), kata, DRAWN_SO)
    assert (outcome.accepted, outcome.unsure, outcome.missed) == (True, (), ())
    slip = slips(kata.folder)[0]
    wrong = kata.solution()
    for old, new in slip.edits[0]:
        wrong = wrong.replace(old, new)
    report = examiner.judge(kata, "mine.py", wrong, DRAWN_SO)
    assert slip.id in {one.mistake for one in report.diagnosis}
    assert not weigh(report, wrong, kata, DRAWN_SO).accepted


def test_a_mask_read_the_wrong_way_is_told_in_the_katas_words(lead, work, judge, monkeypatch):
    """Another meaning that was drawn does not change what the judge says of a function."""

    def inverted(kata, file, *_):
        one = Diagnosis(mistake="mask-inverted", message="here 1 means may attend", line=2)
        return Report(kata=kata.id, file=file, verdict="fail", diagnosis=[one])

    seed = next(seed for seed in range(99) if draw(seed, "junior")["meaning"] == "drop")
    led = lead(seed=seed, plan="llm")
    led.line("start")
    (work / "interview.py").write_text("x = 1\n", "utf-8")
    monkeypatch.setattr(judge, "judge", inverted)
    led.line("submit")
    assert led.line("more")[0].values["message"] == "here 1 means may attend"


@pytest.mark.parametrize("name", plan_names())
def test_a_masks_meaning_does_not_change_on_the_way(name):
    """No plan has a function that fixes what a mask means beside a class for which it is drawn."""
    tiers = plan_called(name).tiers
    fixed = any(
        tier.kata.promised is None and value("meaning", tier.kata, DRAWN_SO) == "keep"
        for tier in tiers
    )
    assert not (fixed and any(matters("meaning", tier.kata, DRAWN_SO) for tier in tiers))


@pytest.mark.parametrize("plan", ["operators", "llm"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("level", ["junior", "senior"])
def test_whole_interview(lead, work, hands, script, judge, plan, language, level):
    """From the brief to the end: names are told, each step passes, killed and resumed between."""
    led = lead(plan=plan, language=language, level=level)
    tiers = led.session.plan.tiers
    greeted = " ".join(one.text for one in led.greet())
    assert all(row in greeted for row in signatures(tiers[0].kata))
    led.line({"en": "which dtype?", "zh": "什么 dtype？"}[language])
    led.line("start")
    assert (work / "interview.py").read_text("utf-8") == blank(tiers[0].kata)
    asked = []
    for number, tier in enumerate(tiers):
        assert led.session.stage.tier == tier
        hands.go_on(60)
        assert tier.kata.hints(language)[0] in led.line("hint")[0].text
        text = f"{script.right}# {number}\n"
        (work / "interview.py").write_text(text, "utf-8")
        assert "interview-right" in script.keys(led.line("submit"))
        led = lead(resume=True, language=language)
        led.greet()
        spoken = ""
        while led.session.put is not None and led.session.tier == number:
            asked.append(led.session.put.name)
            led.line("because")
            led.line("")
            spoken = " ".join(one.text for one in led.line("all"))
        if number + 1 < len(tiers) and tiers[number + 1].kata.promised is None:
            assert all(row in spoken for row in signatures(tiers[number + 1].kata))
    while not led.session.ended:
        if led.session.put is None:
            # Where time is left, a step further.
            assert led.session.stage.tier not in tiers
            (work / "interview.py").write_text(script.right, "utf-8")
            led.line("submit")
            continue
        asked.append(led.session.put.name)
        led.line("")
        led.line("0")
    assert led.session.ended == "done"
    # The open question comes once, about what was written last.
    assert [name for name in asked if name.startswith("open:")] == [f"open:{tiers[-1].kata.id}"]
    judged = [kata for kata, _ in judge.judged]
    assert judged[: len(tiers)] == [tier.kata.id for tier in tiers]


def test_what_is_not_written_yet_is_said_so():
    """A submission of which a part waits is neither a crash nor wrong."""
    waiting = Part(name="softmax", status="waits", line=3)
    fault = Fault(kind="forward", message="not written yet", line=3)
    report = Report(
        kata="drill-softmax", file="a.py", verdict="error", error=fault, functions=[waiting]
    )
    assert group_of(report) == "unfinished"
    wrong = Part(name="log_sum_exp", status="fail", line=5)
    assert group_of(replace(report, functions=[waiting, wrong])) == "crash"
