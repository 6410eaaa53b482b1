"""The content linter: the project has no problems, and each planted fault is found."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench
from attn_kata.dev import answers, layout, lessons, lint, pages, shapes, statements, texts
from attn_kata.kata.catalogue import katas
from attn_kata.kata.packs import OWN
from attn_kata.kata.slips import FILE

CACHES = shutil.ignore_patterns("__pycache__")
# What is spoilt below: to read all of the katas takes five times as long.
FEW = {"v1", "v2", "v4", "mha", "cross"}


def copy(root, to, wanted):
    """Copy some of the project's own katas with their model answers, in the same layout."""
    for kata in katas():
        if kata.id in wanted:
            shutil.copytree(kata.folder, to / "kata" / kata.folder.name, ignore=CACHES)
    pages = Path("kata") / layout.EXPLANATIONS
    shutil.copytree(root / pages, to / pages)
    shutil.copy(root / "kata" / FILE, to / "kata" / FILE)
    others = [kata.solution_path.name for kata in katas() if kata.id not in wanted]
    leave = shutil.ignore_patterns("__pycache__", *others)
    shutil.copytree(root / "reference", to / "reference", ignore=leave)
    return to


@pytest.fixture
def unclaimed(monkeypatch):
    """No statement and no lesson is run: test_statements.py and test_lessons.py run them all."""
    monkeypatch.setattr(statements, "claim_problems", lambda _room: iter(()))
    monkeypatch.setattr(lessons, "lesson_problems", lambda _room: iter(()))


@pytest.fixture
def copied(root, tmp_path, monkeypatch, unclaimed):
    """A few of the katas and their model answers, free to be spoilt; no commands are read."""
    monkeypatch.setattr(texts, "_commands", lambda: None)
    return copy(root, tmp_path, FEW)


def spoil(path, old, new):
    """Replace the first `old` in a file, which must be there."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def only(problems):
    """Return the one problem there is."""
    assert len(problems) == 1, problems
    return problems[0]


@pytest.mark.costly
@pytest.mark.usefixtures("unclaimed")
def test_own_katas_have_no_problems(monkeypatch):
    """Every kata of the project is whole and true; of the judge is asked below, kata by kata."""
    asked, read = [], []
    monkeypatch.setattr(answers, "judge_problems", lambda _bench, kata: asked.append(kata.id) or ())
    # test_shapes.py reads the comments of them all.
    monkeypatch.setattr(shapes, "shape_problems", lambda kata: read.append(kata.id) or ())
    assert lint.run() == []
    assert asked == read == sorted(kata.id for kata in katas())


@pytest.fixture(scope="module")
def bench():
    """A warm judge."""
    with Bench() as bench:
        yield bench


@pytest.mark.each_kata(12)
@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_the_judge_agrees(bench, kata):
    """Every kata's stub is unfinished to its judge, and its model answer right."""
    found = next(one for one in layout.Folder(path=OWN).katas()
                 if one.id == kata.id)  # fmt: skip
    assert list(answers.judge_problems(bench, found)) == []


def test_a_statement_that_is_no_longer_made(root, tmp_path):
    """What a page no longer says is found, with the file and line that claims it.

    So is a lesson that no longer shows what is stored.
    """
    every = copy(root, tmp_path, {"v1"})
    (every / "kata" / "v1" / "brief.zh.md").write_text("v1\n", "utf-8")
    spoil(every / "kata" / "v1" / "learn.toml", "outputs", "output")
    found = lint.run(every)
    assert "kata/v1/learn.toml: is out of date; run `make figures`" in found
    told = [one for one in found if one.startswith("kata/v1/claims.toml:")]
    assert told
    assert all(" brief (zh) does not say " in one for one in told)


def test_copy_has_no_problems(copied):
    """A folder in the same layout is read the same, by its own path or by its parent's."""
    assert lint.run(copied) == []
    assert lint.run(copied / "kata") == []


@pytest.mark.parametrize("name", ["stub.py", "stub.zh.py", "brief.zh.md", "questions.toml"])
def test_missing_file(copied, name):
    """A kata without one of its files is found."""
    (copied / "kata" / "v2" / name).unlink()
    assert only(lint.run(copied)).startswith(f"kata/v2/{name}: is missing; ")


def test_missing_catalogue_entry(copied):
    """A folder without kata.toml is found."""
    (copied / "kata" / "v2" / "kata.toml").unlink()
    assert "kata/v2/kata.toml: is missing; write it, as the other katas have it" in lint.run(copied)


def test_stray_file(copied):
    """A file that is no part of a kata is found."""
    (copied / "kata" / "v1" / "notes.txt").write_text("todo", "utf-8")
    assert only(lint.run(copied)).startswith("kata/v1/notes.txt: belongs to no part of a kata; ")


def test_stray_file_beside_the_katas(copied):
    """So is one beside the katas' folders."""
    (copied / "kata" / "notes.txt").write_text("todo", "utf-8")
    assert only(lint.run(copied)).startswith("kata/notes.txt: is no kata; ")


def test_stray_answer(copied):
    """A model answer that no kata names is found."""
    shutil.copy(copied / "reference" / "v1.py", copied / "reference" / "v9.py")
    assert only(lint.run(copied)).startswith("reference/v9.py: is no kata's model answer; ")


def test_empty_brief(copied):
    """A brief that says nothing is found."""
    (copied / "kata" / "v1" / "brief.zh.md").write_text(" \n", "utf-8")
    assert only(lint.run(copied)).startswith("kata/v1/brief.zh.md: is empty; ")


def hints(*rows):
    """Write hints, each given in the languages of its words."""
    return "\n".join(
        "[[hint]]\n" + "\n".join(f'{language} = "{text}"' for language, text in row.items())
        for row in rows
    )


FULL = {"en": "think", "zh": "想"}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([FULL, FULL], "has 2 hints"),
        ([FULL] * 4, "has 4 hints"),
        ([FULL, {"en": " ", "zh": "想"}, FULL], "hint 2 is empty in `en`"),
        ([FULL, FULL, {"en": "think"}], "hint 3 has no `zh`"),
    ],
)
def test_hints(copied, rows, problem):
    """There are three hints, none empty, each in both languages."""
    (copied / "kata" / "cross" / "hints.toml").write_text(hints(*rows), "utf-8")
    assert only(lint.run(copied)).startswith(f"kata/cross/hints.toml: {problem}; ")


def test_garbled_toml(copied):
    """A file that is no TOML is one problem, not a crash."""
    (copied / "kata" / "v1" / "hints.toml").write_text("[[hint", "utf-8")
    assert only(lint.run(copied)).startswith("kata/v1/hints.toml:1: cannot be read as TOML")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('level = "junior"', 'level = "wizard"', "has level 'wizard'"),
        ("[question.zh]", "[question.fr]", "has no `zh`"),
        ("points = [\n", "points = []\nunused = [\n", "has an empty en.points"),
        ('trap = "', 'trap = ""\nunused = "', "has an empty"),
    ],
)
def test_questions(copied, old, new, problem):
    """Every question has its level, both languages, and nothing empty in either."""
    spoil(copied / "kata" / "mha" / "questions.toml", old, new)
    found = lint.run(copied)
    assert all(re.match(r"kata/mha/questions\.toml:\d+: `mha-", each) for each in found)
    assert problem in found[0]


def test_doubled_question(copied):
    """A question's id is its own among all the katas."""
    shutil.copy(copied / "kata/mha/questions.toml", copied / "kata/v1/questions.toml")
    (copied / "kata/v1/phrasings.toml").unlink()
    found = lint.run(copied)
    assert found
    assert all("is in kata/mha/questions.toml already" in each for each in found)


def test_an_answer_that_tells_what_is_no_question(copied):
    """What an exact question's answer gives away is a question of its bank."""
    spoil(copied / "kata/v1/questions.toml", 'tells = ["v1-why-scale"]', 'tells = ["v2-why-apart"]')
    assert "`v1-exact-scale` tells `v2-why-apart`, which is no question" in only(lint.run(copied))


def test_few_questions(copied):
    """Fewer than five questions are too few."""
    path = copied / "kata" / "v1" / "questions.toml"
    rows = path.read_text("utf-8").split("[[question]]")
    path.write_text("[[question]]".join(rows[:5]), "utf-8")
    path.with_name("phrasings.toml").unlink()
    found = lint.run(copied)
    assert only(found).startswith("kata/v1/questions.toml: has 4 questions; ")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[[mha-which-d]]", "[[mha-which-e]]", "`mha-which-e` is no question"),
        ("[[mha-which-d]]", "[[mha-other]]", "has phrasings of"),
    ],
)
def test_phrasings_are_those_of_the_questions_points(copied, old, new, told):
    """A row whose question there is not is named, and a point that nobody says."""
    path = copied / "kata" / "mha" / "phrasings.toml"
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    assert any(told in each for each in lint.run(copied))


def test_a_phrasing_is_not_right_and_backwards(copied):
    """What is said both ways tells nothing."""
    path = copied / "kata" / "mha" / "phrasings.toml"
    text = path.read_text("utf-8")
    first = text.partition("en = '''\n")[2].partition("\n")[0]
    path.write_text(text.replace("en-wrong = '''\n", f"en-wrong = '''\n{first}\n", 1), "utf-8")
    assert "or in one as both" in only(lint.run(copied))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('zh = "', 'fr = "', "title has no `zh`"),
        ("minutes", "hours", "has no `minutes`"),
        ('prerequisites = ["v4"]', 'prerequisites = ["v5"]', "asks for `v5` first"),
        ('heads = "many"', 'heads = "some"', "contract.heads is 'some'"),
        ("causal = false", 'causal = "no"', "contract.causal is 'no'"),
        ("order = 5", "order = 1", "has v1's order 1"),
    ],
)
def test_catalogue_entry(copied, old, new, problem):
    """What kata.toml says is whole and means something."""
    spoil(copied / "kata" / "mha" / "kata.toml", old, new)
    found = only(lint.run(copied))
    assert problem in found or found.startswith("kata/v1/kata.toml: has mha's order 1")


@pytest.mark.parametrize("file", ["kata/v1/stub.py", "reference/v1.py"])
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("hidden_dim: int", "width: int", "has SelfAttentionV1(width)"),
        ("(self, x: Tensor)", "(self, x: Tensor, mask=None)", "has forward(x, mask=None)"),
        ("class SelfAttentionV1", "class Attention", "has no class SelfAttentionV1"),
        ("from torch import", "from torhc import", "raises ModuleNotFoundError on import"),
    ],
)
def test_contract(copied, file, old, new, problem):
    """Stub and model answer have the class and the signature that the contract names."""
    path = copied / file
    text = path.read_text("utf-8").replace("hidden_dim", "width") if new == "width: int" else None
    if text is None:
        spoil(path, old, new)
    else:
        path.write_text(text, "utf-8")
    # The stub in the other language is other code then, and edits fit no more; both are said too.
    beside = ("stub.zh.py", "mistakes.toml")
    found = only([one for one in lint.run(copied) if not any(name in one for name in beside)])
    assert found.startswith(f"{file}: ")
    assert problem in found


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("hidden_dim: int", "width: int", "is other code than stub.py; make them the same"),
        ("def forward(", "def forward", "does not parse"),
    ],
)
def test_stubs_are_the_same_code(copied, old, new, problem):
    """A stub's code is the same in every language: its comments and docstrings alone differ."""
    spoil(copied / "kata" / "v1" / "stub.zh.py", old, new)
    assert only(lint.run(copied)).startswith(f"kata/v1/stub.zh.py: {problem}")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('id = "a"\nid = "b"', "Cannot overwrite a value"),
        ('shared = ["no-such-id"]', "`no-such-id` is not among the shared"),
    ],
)
def test_mistakes_that_cannot_be_read(copied, row, problem):
    """They are told with their file, and what needs them is not looked at."""
    file = copied / "kata" / "v1" / "mistakes.toml"
    file.write_text(f"{file.read_text('utf-8')}\n[[mistake]]\n{row}\n", "utf-8")
    assert only(lint.run(copied)).startswith(f"kata/v1/mistakes.toml: {problem}")


def test_stub_that_was_not_translated(copied):
    """A copy of the English stub is no Chinese one."""
    folder = copied / "kata" / "v1"
    shutil.copy(folder / "stub.py", folder / "stub.zh.py")
    assert only(lint.run(copied)).startswith("kata/v1/stub.zh.py: says what stub.py says")


def test_judge_is_asked(copied, bench):
    """A stub that is written, and a model answer that is wrong, are found by the judge."""
    found_there = layout.Folder(path=copied / "kata").katas()
    kata = next(one for one in found_there if one.id == "v4")
    answer = shutil.copy(kata.reference, copied / "answer.py")
    spoil(Path(answer), "math.sqrt(self.hidden_dim)", "self.hidden_dim")
    shutil.copy(kata.reference, kata.stub)
    found = list(answers.judge_problems(bench, replace(kata, reference=Path(answer))))
    assert found[0].startswith(f"kata/{kata.id}/stub.py: is judged pass")
    assert found[1].startswith("reference/answer.py: is judged fail (")


@pytest.fixture
def typed(copied, monkeypatch):
    """Return the problems of one brief, where the command line has a few commands only."""
    options = {"--help", "--seed", "--lang"}
    commands = {"": {"--version"}, **dict.fromkeys(("check", "explain", "list", "show"), options)}
    monkeypatch.setattr(texts, "_commands", lambda: {**commands, "dev check": {"--help"}})

    def problems(text):
        (copied / "kata" / "v1" / "brief.en.md").write_text(f"# v1\n{text}\n", "utf-8")
        found = texts.text_problems(layout.Folder(path=copied / "kata"))
        return [each for each in found if "v1/brief.en.md" in each]

    return problems


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("attn-kata chekc mha", "is no command"),
        ("attn-kata check mah", "names `mah`, which is no kata"),
        ("attn-kata check mha --sed 1", "has no option --sed"),
        ("attn-kata explain scale-by-magic", "names `scale-by-magic`, which is no id"),
        ("attn-kata dev chekc", "is no command"),
        ("attn-kata explain 'scale", "cannot be split into words"),
    ],
)
def test_commands(typed, written, problem):
    """A command that cannot be typed is found, in a block or in backticks."""
    for text in (
        f"```text\n{written}   and so on\n```",
        f"Try `{written}` now.",
        f".venv/bin/{written}",
    ):
        assert f"`{written}` {problem}" in only(typed(text))


@pytest.mark.parametrize(
    "written",
    [
        "attn-kata",
        "attn-kata list",
        "attn-kata check K FILE…",
        "attn-kata check mha mine.py --seed 7 # again",
        "attn-kata check mine.py",
        "attn-kata explain scale-by-hidden-dim",
        "attn-kata show mha --lang zh | less",
        "attn-kata dev check FOLDER",
        "attn-kata --version",
    ],
)
def test_good_commands(typed, written):
    """A command that can be typed, or that stands for one, is no problem."""
    assert typed(f"`{written}`\n{written}\n") == []


def test_sentences_are_no_commands(typed):
    """The program's name in a sentence is no command."""
    assert typed("With attn-kata you learn; attn-kata judges.") == []


def test_real_commands():
    """The linter sees the commands and options that the program has."""
    commands = texts._commands()
    assert commands is not None
    assert {"list", "check", "explain", "demo"} <= set(commands)
    assert {"--json", "--seed", "--help"} <= commands["check"]


def test_a_mistake_of_which_nothing_is_said(monkeypatch):
    """An id without a page, a sentence or an interviewer's sentence is told what to write where."""
    monkeypatch.setattr(pages, "MISTAKE_IDS", (*pages.MISTAKE_IDS, "none-such"))
    assert list(pages.sentence_problems()) == [
        "sentences/mistakes.py: has no sentence `none-such`; say in both languages what it is",
        (
            "practice/interview/voices.toml: has nothing to say of `none-such`; "
            "list it in the `mistakes` of a group"
        ),
    ]
    told = [line.partition(":")[0] for line in pages.page_problems()]
    assert told == [f"kata/explanations/none-such.{language}.md" for language in ("en", "zh")]


def test_a_shared_mistake_that_no_kata_takes(monkeypatch):
    """What nobody lists is found."""
    monkeypatch.setattr(pages, "all_ids", lambda _: frozenset())
    problems = list(pages.sentence_problems())
    assert (
        "kata/mistakes.toml: `scale-missing` is in no kata; list it in one, or remove it"
        in problems
    )
