"""The workspace remembers files and hints, and starting never loses a file."""

import os

import pytest
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.errors import Refusal
from attn_kata.practice.stubs import start
from attn_kata.practice.targets import targets
from attn_kata.practice.workspace import Workspace


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def workspace(tmp_path):
    """An empty memory."""
    return Workspace(tmp_path / "home")


def test_files_and_hints_are_remembered(workspace, here):
    """What one command notes, the next one knows."""
    file = here / "mine.py"
    file.write_text("x = 1")
    workspace.remember("mha", file)
    workspace.saw_hint("mha", 2)
    workspace.saw_hint("mha", 1)
    later = Workspace(workspace.folder)
    assert later.file("mha") == file
    assert later.hints_seen("mha") == 2
    file.unlink()
    assert later.file("mha") is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"files": 3}', '{"files": {"a": 1}}', '{"hints": {"a": "b"}}', "\xff"]
)
def test_broken_store_is_kept_aside(text, tmp_path):
    """The command goes on with nothing remembered, and the old file is kept."""
    (tmp_path / "workspace.json").write_text(text, "latin-1")
    workspace = Workspace(tmp_path)
    assert workspace.latest() is None
    assert [trouble.key for trouble in workspace.troubles] == ["store-broken"]
    assert (tmp_path / "workspace.json.broken-1").read_text("latin-1") == text


def test_unwritable_store_is_said(tmp_path):
    """A home that is a file stops nothing."""
    (tmp_path / "home").write_text("x")
    workspace = Workspace(tmp_path / "home")
    workspace.saw_hint("v1", 1)
    assert {trouble.key for trouble in workspace.troubles} <= {
        "store-unreadable",
        "store-unwritable",
    }
    assert workspace.troubles


@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_start_writes_the_stub(kata, here):
    """The file says its kata in its first line and holds what the catalogue names."""
    started = start(kata, here, force=False)
    text = started.file.read_text("utf-8")
    assert text.splitlines()[0] == f"# attn-kata: {kata.id}"
    for name in kata.names:
        assert f"class {name}(nn.Module):" in text or f"def {name}(" in text
    assert text.count('raise NotImplementedError("write me")') >= len(kata.names)
    assert max(map(len, text.splitlines())) <= 100


def test_start_never_overwrites(here):
    """Without force it refuses; with it, the old file is numbered and kept."""
    kata = find("v3")
    (here / "v3.py").write_text("mine")
    with pytest.raises(Refusal, match="already-there"):
        start(kata, here, force=False)
    assert (here / "v3.py").read_text() == "mine"
    assert start(kata, here, force=True).backup == here / "v3.py.bak1"
    assert start(kata, here, force=True).backup == here / "v3.py.bak2"
    assert (here / "v3.py.bak1").read_text() == "mine"


def test_start_into_what_is_no_folder(here):
    """The reason is told, and nothing is touched."""
    (here / "file").write_text("x")
    with pytest.raises(Refusal, match="cannot-write") as refusal:
        start(find("v1"), here / "file" / "deeper", force=True)
    assert refusal.value.commands == ("start v1 --dir ~/attn-kata",)


def test_a_link_that_leads_nowhere_is_there(here, workspace):
    """The judge says what is wrong with it; nobody is told to begin a kata that cannot be."""
    (here / "v1.py").symlink_to("gone.py")
    assert chosen(["v1"], workspace) == [("v1", "v1.py")]


def test_standard_input_that_says_nothing(here, workspace):
    """What is to be typed reads standard input again, and no file of its name."""
    (here / "stdin.py").write_text("x = 1\n")
    with pytest.raises(Refusal, match="input-unknown") as refusal:
        targets(["-"], workspace, "check", here / "stdin.py")
    assert refusal.value.commands == ("check mha -",)


def chosen(arguments, workspace):
    """Resolve arguments to (kata, file name) pairs."""
    return [(target.kata.id, str(target.file)) for target in targets(arguments, workspace, "check")]


def test_targets_by_kata_header_and_name(here, workspace):
    """A kata with files, a header, or the file's name: each says what is judged."""
    (here / "v3.py").write_text("x")
    (here / "odd.py").write_text("# attn-kata: mha\n")
    (here / "v1.py").write_text("# attn-kata: v2\n")
    assert chosen(["MHA", "v3.py", "odd.py"], workspace) == [("mha", "v3.py"), ("mha", "odd.py")]
    assert chosen(["v3.py"], workspace) == [("v3", "v3.py")]
    assert chosen(["odd.py", "v3.py"], workspace) == [("mha", "odd.py"), ("v3", "v3.py")]
    assert chosen(["v1.py"], workspace) == [("v2", "v1.py")]
    assert chosen(["v3"], workspace) == [("v3", "v3.py")]


def test_this_folder_comes_first(here, workspace, tmp_path):
    """`check K` takes the file worked on here, then `K.py`; another folder's is asked about."""
    other = tmp_path / "other.py"
    other.write_text("x")
    workspace.remember("v3", other)
    (asked,) = targets(["v3"], workspace, "check")
    assert (asked.file, asked.elsewhere) == (other, True)
    assert targets([], workspace, "check")[0].elsewhere
    (here / "v3.py").write_text("x")
    assert chosen(["v3"], workspace) == chosen([], workspace) == [("v3", "v3.py")]
    mine = here / "mine.py"
    mine.write_text("x")
    workspace.remember("v3", mine)
    assert chosen(["v3"], workspace) == [("v3", "mine.py")]


NOTEBOOK = '{"cells": [{"cell_type": "code", "source": "%time\\nclass CrossAttention: 1"}]}'


def defines(*names):
    """Write a source with these classes, or functions where a name is in lower case."""
    return "\n".join(
        f"def {name}(x):\n    return x\n" if name.islower() else f"class {name}:\n    pass\n"
        for name in names
    )


def test_the_later_changed_of_two(here, workspace):
    """Of the file that was judged last and the kata's own, the one changed last is meant."""
    for name in ("v1.py", "try.py"):
        (here / name).write_text("x = 1\n")
        os.utime(here / name, (100, 100))
    workspace.remember("v1", here / "try.py")
    assert targets(["v1"], workspace, "check")[0].file.name == "try.py"
    os.utime(here / "v1.py", (200, 200))
    assert targets(["v1"], workspace, "check")[0].file.name == "v1.py"


@pytest.mark.parametrize(
    ("name", "text", "kata"),
    [
        ("a.py", defines("MultiHeadAttention"), "mha"),
        ("a.py", defines("MultiHeadAttention", "attention", "softmax"), "mha"),
        ("a.py", defines("softmax"), "drill-softmax"),
        ("a.py", defines("attention"), "sdpa"),
        ("a.py", defines("slopes", "bias", "attention"), "alibi"),
        ("v1.py", defines("MultiHeadAttention"), "mha"),
        ("v1.py", defines("SelfAttentionV1", "MultiHeadAttention"), "v1"),
        ("v1.py", "# attn-kata: v2\n" + defines("SelfAttentionV1"), "v2"),
        ("v1.py", "class Broken(", "v1"),
        ("a.ipynb", NOTEBOOK, "cross"),
    ],
)
def test_kata_by_what_a_file_defines(name, text, kata, here, workspace):
    """The header says it, then the name and the classes, then the functions; nothing is run."""
    (here / name).write_text(text)
    assert chosen([name], workspace) == [(kata, name)]


def test_a_helper_is_not_taken_unasked(here, workspace):
    """A file that nobody named is not taken for its functions: `softmax` is in many."""
    (here / "v1.py").write_text(defines("SelfAttentionV1"))
    (here / "helpers.py").write_text(defines("softmax"))
    os.utime(here / "v1.py", (1000, 1000))
    assert chosen([], workspace) == [("v1", "v1.py")]
    assert chosen(["helpers.py"], workspace) == [("drill-softmax", "helpers.py")]


def test_classes_of_two_katas_are_said(here, workspace):
    """Where a file answers several katas nobody guesses; the lines and the commands are told."""
    (here / "a.py").write_text(defines("SelfAttentionV1", "MultiHeadAttention"))
    for arguments in (["a.py"], []):
        with pytest.raises(Refusal, match="kata-several") as refusal:
            targets(arguments, workspace, "watch")
        assert refusal.value.commands == ("watch v1 {file}", "watch mha {file}")
        ((_, told),) = refusal.value.notes
        assert told == "SelfAttentionV1 (v1, a.py:1), MultiHeadAttention (mha, a.py:4)"


def test_kernels_answer_katas_of_kernels(here, workspace):
    """A softmax in Triton is no drill's, though it has the drill's name; nor the other way."""
    written = "import triton.language as tl\ndef {}(x): ...\n"
    (here / "a.py").write_text(written.format("softmax"))
    with pytest.raises(Refusal, match="kata-unknown"):
        targets(["a.py"], workspace, "check")
    (here / "a.py").write_text(written.format("triton_softmax"))
    assert chosen(["a.py"], workspace) == [("triton-softmax", "a.py")]
    (here / "a.py").write_text("def softmax(x): ...\n")
    assert chosen(["a.py"], workspace) == [("drill-softmax", "a.py")]


def test_several_files_of_a_kata_here(here, workspace):
    """The only file with the kata's class is found; of several each is suggested, none taken."""
    (here / "a.py").write_text(defines("MultiHeadAttention"))
    assert chosen(["mha"], workspace) == [("mha", "a.py")]
    (here / "b {0}.py").write_text(defines("MultiHeadAttention"))
    with pytest.raises(Refusal, match="several-here") as refusal:
        targets(["mha"], workspace, "watch")
    values = refusal.value.values
    typed = sorted(command.format(**values) for command in refusal.value.commands)
    assert typed == ["watch mha a.py", "watch mha b {0}.py"]


def test_nothing_given_judges_what_changed_last(here, workspace):
    """The newest of the remembered files is judged."""
    for at, name in enumerate(("v1", "v2", "v3")):
        file = here / f"{name}.py"
        file.write_text("x")
        os.utime(file, (1000, 1000 + (at * 7) % 10))
        workspace.remember(name, file)
    assert chosen([], workspace) == [("v2", "v2.py")]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ([], "nothing-started"),
        (["mha"], "not-started"),
        (["mah"], "no-kata-near"),
        (["zzzzzz"], "no-kata"),
        (["mha", "nope.py"], "no-file"),
        (["mha", "a.py", "b.py"], "no-files"),
        (["nope.py"], "no-file"),
        (["plain.py"], "kata-unknown"),
        (["wrong_header.py"], "no-kata"),
        (["x" * 5000 + ".py"], "no-file"),
        (["mha", "plane.py"], "no-file-near"),
        (["mha", "."], "is-folder"),
    ],
)
def test_what_cannot_be_judged(arguments, key, here, workspace):
    """Each wrong usage has its own sentence."""
    (here / "plain.py").write_text("x = 1")
    (here / "wrong_header.py").write_text("# attn-kata: zzzzzz\n")
    with pytest.raises(Refusal) as refusal:
        targets(arguments, workspace, "check")
    assert refusal.value.key == key
