"""Every kata has a lesson, with the same steps in both languages, and shows what they do."""

import subprocess
import sys

import pytest
from attn_kata.dev.lessons import lesson_problems, stored
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.lessons import CODE, END, Plot, Step, cells, lesson

STEPS = """# %% one
print(1.5)

# %% two
two = 2
print(two)

# %% picture
picture, rows, columns = [[0.25]], ("row",), ("column",)
"""
TEXT = (
    "# One\n\n## {}\n\n1.5\n\n{{step 1}}\n\n## {}\n\n## {}\n\n{{step 2}}\n\n{{picture}}\n\n## {}\n"
)
ENGLISH = TEXT.format("The idea", "By hand", "Step by step", "To remember")
CHINESE = TEXT.format("想法", "手算", "一步一步", "记住")


@pytest.fixture
def room(tmp_path):
    """A room with one kata, and a lesson that is right."""
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "kata.toml").write_text("")
    (folder / "learn.py").write_text(STEPS)
    (folder / "learn.en.md").write_text(ENGLISH)
    (folder / "learn.zh.md").write_text(CHINESE, "utf-8")
    (folder / "learn.toml").write_text(stored(folder), "utf-8")
    return tmp_path


def test_all_lessons_run_and_say_what_came_of_it():
    """Every step of every kata runs, prints what is stored, and no figure is made up."""
    assert list(lesson_problems(find("v1").folder.parent)) == []


@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_both_languages_have_the_same_steps(kata):
    """A lesson is one in both languages, and ends in a picture that fits its labels."""
    english, chinese = (lesson(kata, language) for language in ("en", "zh"))
    assert english.steps == chinese.steps
    assert len(english.steps) >= 3
    assert len(english.plot.values) == len(english.plot.rows)
    assert all(len(row) == len(english.plot.columns) for row in english.plot.values)


def test_a_right_lesson_has_no_problem(room):
    """What is whole is left alone."""
    assert list(lesson_problems(room)) == []


def test_a_figure_that_no_step_gives_is_named(room):
    """A decimal in the prose has to come out of a step."""
    (room / "one" / "learn.en.md").write_text(ENGLISH.replace("\n1.5\n", "\n1.7\n"))
    (found,) = lesson_problems(room)
    assert found.startswith("kata/one/learn.en.md:5: no step gives 1.7")


def test_a_stale_output_is_named(room):
    """Code that prints something else than what is stored is caught."""
    (room / "one" / CODE).write_text(STEPS.replace("two = 2", "two = 3"))
    (found,) = lesson_problems(room)
    assert found.startswith("kata/one/learn.toml: is out of date")


def test_a_step_that_is_not_called_is_named(room):
    """A text calls all steps, in order."""
    (room / "one" / "learn.zh.md").write_text(CHINESE.replace("{step 2}", ""), "utf-8")
    (found,) = lesson_problems(room)
    assert "kata/one/learn.zh.md: calls ['step 1']" in found


def test_a_step_that_raises_is_named(room):
    """A lesson whose code is broken is reported, not run into."""
    (room / "one" / CODE).write_text(STEPS.replace("two = 2", "two = three"))
    (found,) = lesson_problems(room)
    assert "does not run (name 'three' is not defined)" in found


def test_a_line_that_a_screen_would_cut_is_named(room):
    """What a step prints fits a screen of 80 behind its bar."""
    (room / "one" / CODE).write_text(STEPS.replace("two = 2", "two = 2\nprint(75 * 'x')"))
    (found,) = lesson_problems(room)
    assert "prints a line wider than 74 columns" in found


def test_a_lesson_is_read_in_order(room):
    """Text, steps and the picture come as the text has them."""
    kinds = [type(part) for part in lesson(find("v1"), "en").parts]
    assert kinds[0] is str
    assert kinds.count(Plot) == 1
    assert kinds.count(Step) == len(cells(find("v1").folder / CODE))
    assert "picture" not in cells(room / "one" / CODE)[-1]


@pytest.mark.costly
def test_steps_run_in_a_process_of_their_own():
    """What is run is the lesson's file, step by step, each ended by its sign."""
    path = find("drill-axes").folder / CODE
    code = "import sys\nfrom attn_kata.kata.lessons import play\nplay(sys.argv[1])\n"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    said = done.stdout.split(f"{END}\n")
    assert len(said) == len(cells(path)) + 1
    assert said[0] == "(3, 1) [1, 2, 3, 4, 5, 6]\n"
