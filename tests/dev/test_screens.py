"""The README shows what the program prints."""

import contextlib
import io
import os
import re
import shlex

import pytest
from attn_kata import cli
from attn_kata.checker import client
from attn_kata.checker.process import launch
from attn_kata.dev import screens
from attn_kata.practice.debug.exercise import exercise_called

TEXT = """\
Before.

<!-- screen: attn-kata list -->
```text
{}```

After.
"""


@pytest.fixture
def printed(monkeypatch):
    """Let every command print one line with a time in it."""
    monkeypatch.setattr(screens, "output", lambda command, folder: f"{command}     0.4 s\n")


@pytest.fixture(scope="module")
def warm(root, tmp_path_factory):
    """A process that has imported torch, for all the commands: each would start one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        home = str(tmp_path_factory.mktemp("home"))
        patch.setattr(os, "environ", {**os.environ, **screens.environment(home)})
        started = launch.Started()
    yield started
    started.close()


@pytest.fixture
def output(root, warm, monkeypatch, tmp_path):
    """Run a command in this process, with judges of that one; return what it prints."""
    monkeypatch.chdir(root)
    for name, value in screens.environment(str(tmp_path)).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(client, "take", lambda: warm)

    def run(command):
        screen = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            cli.main(shlex.split(command)[1:])
        return screens.tidy(screen.buffer.getvalue().decode("utf-8"))

    with monkeypatch.context() as patch:
        # It goes on for the next command.
        patch.setattr(warm, "close", lambda: None)
        yield run


@pytest.mark.costly
@pytest.mark.parametrize("name", ["README.md", "docs/diagnosis.md"])
def test_screens_are_up_to_date(root, output, name):
    """Every screen in a text is what its command prints today, up to times."""
    shown = list(screens.screens((root / name).read_text("utf-8")))
    assert shown
    for command, text in shown:
        assert screens.steady(text) == screens.steady(output(command)), command


def test_a_program_prints_the_same(root, output):
    """What fills the texts, the program in a process of its own, prints what is compared here."""
    command = "attn-kata list"
    assert screens.output(command, root) == output(command)


def test_several_commands_share_a_folder(tmp_path):
    """Commands with `&&` between them run one after another in an empty folder, and are shown."""
    shown = screens.output("touch a && ls && rm a && ls", tmp_path)
    assert shown == "$ touch a\n\n\n$ ls\na\n\n$ rm a\n\n\n$ ls\n\n"


def test_the_exercise_shown_is_handed_out_today(root):
    """The file in docs/debug.md is what its first line says, in both languages."""
    text = (root / "docs" / "debug.md").read_text("utf-8")
    heads = [line for line in text.splitlines() if re.match(r"# attn-kata: \w+ debug ", line)]
    assert len(heads) == 2
    for head in heads:
        exercise = exercise_called(head)
        assert exercise is not None
        assert exercise.text in text


def test_runs_at_the_root_of_the_project(monkeypatch, tmp_path):
    """A text in a folder of a project names files as one would at its root."""
    ran = []
    monkeypatch.setattr(screens, "output", lambda command, folder: ran.append(folder) or "\n")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(TEXT.format("old\n"), "utf-8")
    assert screens.main([str(tmp_path / "docs" / "a.md")]) == 0
    assert ran == [tmp_path]


def test_filled(printed, tmp_path):
    """A screen is filled with what its command prints, and nothing else changes."""
    wanted = TEXT.format("attn-kata list     0.4 s\n")
    assert screens.filled(TEXT.format("old\n"), tmp_path) == wanted
    assert screens.filled(TEXT.format(""), tmp_path) == wanted


def test_times_do_not_count(printed, tmp_path):
    """A screen that differs in its time alone stays as it is, however wide the time."""
    text = TEXT.format("attn-kata list    12.3 s\n")
    assert screens.filled(text, tmp_path) == text


def test_check(printed, tmp_path, capsys):
    """With --check, a stale file is named and left alone, and the exit status is 1."""
    path = tmp_path / "a.md"
    path.write_text(TEXT.format("old\n"), "utf-8")
    assert screens.main(["--check", str(path)]) == 1
    assert "a.md: its screens are out of date" in capsys.readouterr().out
    assert path.read_text("utf-8") == TEXT.format("old\n")
    assert screens.main([str(path)]) == 0
    assert screens.main(["--check", str(path)]) == 0
