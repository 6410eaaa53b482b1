"""Which sentences can be said, where, and under which condition."""

from attn_kata.dev import said
from attn_kata.sentences.wording import forms


def test_every_sentence_has_a_place():
    """None of them is dead, and the code around each is told."""
    found = said.places()
    assert found.keys() == forms().keys()
    assert [key for key, places in found.items() if not places] == []


def test_conditions():
    """What a sentence stands under, and what would have left before it."""
    (place,) = said.places()["class-unclear"]
    assert place.function == "Refusals.no_class"
    assert place.tests == ("not (self.wanted is not None)", "classes")


def test_listed(capsys, tmp_path):
    """Each with what stands over it in its table; those of a file are left out."""
    said.main(["class-unclear", "syntax"])
    text = capsys.readouterr().out
    assert text.startswith(f"### syntax\n\n{forms()['syntax']['en']}\n\n")
    assert "\n\nClasses are there, and none is nearer than the others.\n\n- checker/judge/" in text
    (tmp_path / "said").write_text("syntax\n")
    said.main(["class-unclear", "syntax", "--but", str(tmp_path / "said")])
    assert "### syntax" not in capsys.readouterr().out
