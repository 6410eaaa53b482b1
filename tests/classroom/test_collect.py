"""Who handed in what: read and never run."""

import json
import os
import zipfile
from pathlib import Path

import pytest
from attn_kata.classroom.collect import collect, left_out
from attn_kata.kata.catalogue import find

MHA = "class MultiHeadAttention:\n    def forward(self, x):\n        return x\n"
CAUSAL = MHA.replace("MultiHead", "CausalSelf")


@pytest.fixture
def folder(tmp_path):
    """A folder with one of each."""
    (tmp_path / "ann.py").write_text(MHA + CAUSAL)
    (tmp_path / "bea.py").write_text(f"# attn-kata: v1\n{MHA}")
    (tmp_path / "cid").mkdir()
    (tmp_path / "cid" / "notes.txt").write_text("hello")
    (tmp_path / "cid" / "one.py").write_text(MHA)
    (tmp_path / "cid" / "helper.py").write_text("x = 1\n")
    (tmp_path / "dan.ipynb").write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": CAUSAL}]})
    )
    (tmp_path / "eva").mkdir()
    (tmp_path / "fay.py").write_text("def f(:\n")
    with zipfile.ZipFile(tmp_path / "guy.zip", "w") as held:
        held.writestr("mha.py", MHA)
    os.mkfifo(tmp_path / "hal.py")
    (tmp_path / "ida.py").symlink_to("/dev/zero")
    (tmp_path / ".hidden.py").write_text(MHA)
    (tmp_path / "mha.py").write_text("x = 3\n")
    return tmp_path


def test_everything_has_its_place(folder):
    """Each submission's katas are found, and what cannot be judged is named."""
    found = collect(folder, None)
    told = {
        one.name: [(answer.label, answer.kata or answer.problem) for answer in one.answers]
        for one in found
    }
    assert told == {
        "ann": [("ann.py", "mha"), ("ann.py", "causal")],
        "bea": [("bea.py", "v1")],
        "cid": [("cid/one.py", "mha")],
        "dan": [("dan.ipynb", "causal")],
        "eva": [("eva", "nothing-to-judge")],
        "fay": [("fay.py", "unreadable")],
        "guy": [("guy.zip", "archive")],
        "hal": [("hal.py", "no-file")],
        "ida": [("ida.py", "no-file")],
        "mha": [("mha.py", "mha")],
    }


def test_a_kata_that_all_answer(folder):
    """With a kata named, every file that can be read is judged under it, a broken one too."""
    found = {one.name: one.answers for one in collect(folder, find("mha"))}
    assert [one.kata for one in found["fay"]] == ["mha"]
    assert [one.kata for one in found["cid"]] == ["mha", "mha"]


def test_content_is_the_key(folder):
    """The key follows the file and what it may import; comments and layout make no other code."""
    (folder / "bob.py").write_text(f"# mine\n{MHA}\n\n{CAUSAL}")
    found = {one.name: one.answers[0] for one in collect(folder, None)}
    assert found["bob"].digest != found["ann"].digest
    assert found["bob"].code == found["ann"].code
    before = found["cid"].digest
    (folder / "cid" / "helper.py").write_text("x = 2\n")
    after = {one.name: one.answers[0] for one in collect(folder, None)}["cid"]
    assert after.digest != before
    assert after.code == found["cid"].code


def test_a_folder_with_too_many_files(tmp_path):
    """A folder that is no submission, a whole environment say, is named and not walked through."""
    (tmp_path / "ann").mkdir()
    for number in range(205):
        (tmp_path / "ann" / f"{number}.py").write_text(MHA)
    ((answer,),) = [one.answers for one in collect(tmp_path, None)]
    assert answer.problem == "too-many-files"


def test_links_that_lead_nowhere_or_back(tmp_path):
    """A link in a circle is no class of its own, and one to nothing is told by its reason."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "mha.py").symlink_to("gone.py")
    (folder / "self.py").symlink_to("self.py")
    (folder / "loop").symlink_to(".")
    (folder / "up").symlink_to(tmp_path)
    found = {one.name: one.answers for one in collect(folder, None)}
    assert {name: one.kata or one.problem for name, (one,) in found.items()} == {
        "loop": "circle", "mha": "mha", "self": "unreadable", "up": "circle",
    }  # fmt: skip


def test_a_closed_folder_is_named(tmp_path, monkeypatch):
    """Of a folder that nobody may look into it is said why; what lies beside it is judged."""
    for name in ("ann/open", "ann/shut", "bea"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "ann" / "open" / "one.py").write_text(MHA)
    looked = os.scandir

    def scandir(place):
        if Path(place).name in {"shut", "bea"}:
            raise PermissionError(13, "Permission denied", str(place))
        return looked(place)

    monkeypatch.setattr(os, "scandir", scandir)
    told = [
        (answer.label, answer.kata or (answer.problem, answer.reason))
        for one in collect(tmp_path, None)
        for answer in one.answers
    ]
    closed = ("closed", "Permission denied")
    assert told == [("ann/open/one.py", "mha"), ("ann/shut", closed), ("bea", closed)]


def test_what_is_left_out_is_known(folder):
    """Files of other kinds are no submissions, and are named as such."""
    (folder / "joe.docx").write_text("def f(): ...")
    assert left_out(folder) == ["joe.docx"]
