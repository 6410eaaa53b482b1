"""A picture is written where it is wanted, and never over what is someone's."""

import pytest
from attn_kata.practice.errors import Refusal
from attn_kata.practice.pictures import promise, save

OURS = b"<svg>\n<!-- attn-kata heat -->\n</svg>"


def refused(file, *, force=False, files=1):
    """The key of a refusal."""
    with pytest.raises(Refusal) as refusal:
        promise(file, force=force, files=files)
    return refusal.value.key


def test_new_and_own_pictures_are_written(tmp_path):
    """A new file, and one that was drawn before."""
    file = tmp_path / "w.svg"
    promise(file, force=False, files=1)
    save(file, OURS)
    promise(file, force=False, files=1)
    save(file, OURS + b" ")
    assert file.read_bytes() == OURS + b" "
    assert [one.name for one in tmp_path.iterdir()] == ["w.svg"]


def test_other_files_stay(tmp_path):
    """What attn-kata has not drawn is replaced by force alone."""
    file = tmp_path / "w.png"
    file.write_bytes(b"\x89PNG a photograph")
    assert refused(file) == "picture-there"
    promise(file, force=True, files=1)


def test_what_cannot_be_drawn(tmp_path):
    """Another kind, no folder, a folder, several files."""
    assert refused(tmp_path / "w.jpg") == "picture-kind"
    assert refused(tmp_path / "no" / "w.svg") == "picture-nowhere"
    (tmp_path / "w.svg").mkdir()
    assert refused(tmp_path / "w.svg", force=True) == "picture-there"
    assert refused(tmp_path / "v.svg", files=2) == "picture-one"


def test_a_folder_that_cannot_be_written(tmp_path):
    """A file that cannot be made is refused in words, and nothing is left behind."""
    with pytest.raises(Refusal) as refusal:
        save(tmp_path / "gone" / "w.svg", OURS)
    assert refusal.value.key == "cannot-write"
