"""Which sentences can be said, where, and under which condition."""

import pytest
from attn_kata.dev import said
from attn_kata.sentences.wording import forms


@pytest.fixture(scope="module")
def found():
    """The places of all sentences, for which all of the code is read."""
    return said.places()


def test_every_sentence_has_a_place(found):
    """None of them is dead, and the code around each is told."""
    assert found.keys() == forms().keys()
    assert [key for key, places in found.items() if not places] == []


def test_conditions(found):
    """What a sentence stands under, and what would have left before it."""
    (place,) = found["class-unclear"]
    assert place.function == "Refusals.no_class"
    assert place.tests == ("not (self.wanted is not None)", "classes")


def test_listed(capsys, tmp_path, monkeypatch, found):
    """Each with what stands over it in its table; those of a file are left out."""
    monkeypatch.setattr(said, "places", lambda: found)
    said.main(["class-unclear", "syntax"])
    text = capsys.readouterr().out
    assert text.startswith(f"### syntax\n\n{forms()['syntax']['en']}\n\n")
    assert "\n\nClasses are there, and none is nearer than the others.\n\n- checker/judge/" in text
    (tmp_path / "said").write_text("syntax\n")
    said.main(["class-unclear", "syntax", "--but", str(tmp_path / "said")])
    assert "### syntax" not in capsys.readouterr().out
