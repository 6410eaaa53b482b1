"""`dev new`: what it writes is whole but for its words, and the linter lists those."""

import re

import pytest
from attn_kata.cli import main
from attn_kata.dev import lint, texts
from attn_kata.dev.unwritten import KINDS, new_kata
from attn_kata.kata import packs
from attn_kata.practice.errors import Refusal


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """What the linter has the judge know ends with the test; no commands are read."""
    monkeypatch.setenv("ATTN_KATA_TRUSTED", "[]")
    monkeypatch.setattr(texts, "_commands", lambda: None)


@pytest.mark.parametrize("kind", KINDS)
def test_only_words_are_missing(shared_judge, tmp_path, kind):
    """Each kind passes the linter and its own judge, but for lines that say what to write."""
    files = new_kata("my-own", kind, tmp_path)
    problems = lint.run(tmp_path)
    assert problems
    for problem in problems:
        found = re.fullmatch(r"(\S+):(\d+): is still to be written; write it", problem)
        assert found, problem
        line = (tmp_path / found[1]).read_text("utf-8").splitlines()[int(found[2]) - 1]
        assert re.search("TO WRITE|待写", line)
    named = {problem.partition(":")[0] for problem in problems}
    # Every file but what a lesson prints has something to write.
    assert named == {
        path.relative_to(tmp_path).as_posix() for path in files if path.name != "learn.toml"
    }


def test_nothing_is_written_over(tmp_path):
    """A kata or a model answer that is there stays as it is."""
    new_kata("mine", "class", tmp_path)
    with pytest.raises(Refusal, match="new-there"):
        new_kata("mine", "function", tmp_path)
    (tmp_path / "reference" / "other.py").write_text("", "utf-8")
    with pytest.raises(Refusal, match="new-there"):
        new_kata("other", "function", tmp_path)
    assert not (tmp_path / "kata" / "other").exists()


def test_a_folder_that_is_one_kata(tmp_path, capfd):
    """Katas are checked in the folder that holds them, which is what to type."""
    new_kata("mine", "class", tmp_path)
    assert main(["dev", "check", str(tmp_path / "kata" / "mine")]) == 2
    assert f"next:  attn-kata dev check {tmp_path / 'kata'}" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["", "Mine", "a b", "../up", "1st", "a--b", "a-"])
def test_odd_names(tmp_path, name):
    """A name that cannot be typed as a kata's, or leaves the folder, is refused."""
    with pytest.raises(Refusal, match="new-name"):
        new_kata(name, "function", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_order_follows(tmp_path):
    """A second kata stands behind the first."""
    new_kata("one", "function", tmp_path)
    new_kata("two", "function", tmp_path)
    packs.take([tmp_path / "kata" / "one", tmp_path / "kata" / "two"])
    from attn_kata.kata.catalogue import find

    assert (find("one").order, find("two").order) == (1, 2)
