"""The statements beside the texts are quoted as they stand, and come out true."""

import pytest
from attn_kata.dev import statements
from attn_kata.dev.examples import examples
from attn_kata.dev.statements import FILE, claim_problems, sources

PAGE = """# halved

Half is a quarter.

## Instead of
```python
half = whole / 4
```

## Write
```python
half = whole / 2
```
"""
CLAIMS = """
[[claim]]
in = "pages/halved"
en = "Half is a quarter."
zh = "一半是四分之一。"
holds = "wrong(whole=8).half == {worth}"
"""
FIGURE = """
[[figure]]
page = "halved"
en = "of 8"
zh = "8 的"
given = "whole = 8.0"
then = "twice = 2 * half"
shows = ["whole", "half", "twice"]
"""


@pytest.fixture
def room(tmp_path):
    """A room of one kata with one page, which both languages share."""
    pages = tmp_path / "one" / "pages"
    pages.mkdir(parents=True)
    (pages / "halved.en.md").write_text(PAGE)
    (pages / "halved.zh.md").write_text("# halved\n\n一半是\n四分之一。\n")
    return tmp_path


@pytest.mark.costly
def test_all_hold():
    """Every statement of the package is said by its texts in both languages, and holds."""
    assert list(claim_problems()) == []
    assert sum(len(source.claims) for source in sources()) > 100


def test_a_false_one_is_named(room):
    """What does not hold is reported with its file and line."""
    (room / "one" / FILE).write_text(CLAIMS.format(worth=3))
    (found,) = claim_problems(room)
    assert found.startswith("kata/one/claims.toml:2: “Half is a quarter.” does not hold (False)")


def test_the_pages_code_is_run(room):
    """A statement may run the code that its page shows."""
    (room / "one" / FILE).write_text(CLAIMS.format(worth=2))
    assert list(claim_problems(room)) == []


def test_a_text_that_no_longer_says_so_is_named(room):
    """A sentence that was changed and a statement that was not part company aloud."""
    (room / "one" / FILE).write_text(CLAIMS.format(worth=2))
    (room / "one" / "pages" / "halved.zh.md").write_text("# halved\n\n一半就是一半。\n")
    (found,) = claim_problems(room)
    assert "kata/one/claims.toml:2: pages/halved (zh) does not say “一半是四分之一。”" in found


def test_what_cannot_be_run_is_named(room):
    """A statement that raises is reported, with what it raised."""
    (room / "one" / FILE).write_text(CLAIMS.format(worth="unheard_of"))
    (found,) = claim_problems(room)
    assert "cannot be run (NameError: name 'unheard_of' is not defined)" in found


def test_figures_come_from_the_pages_code(room):
    """A figure shows what the page's own code gives, and what both share without a sign."""
    (room / "one" / FILE).write_text(FIGURE)
    ((folder, page, figures),) = examples(room)
    assert (folder.name, page, figures["lead-zh"]) == ("one", "halved", "8 的")
    assert figures["numbers"].split("\n") == [
        "  whole       8",
        "✓ half        4",
        "× half        2",
        "✓ twice       8",
        "× twice       4",
    ]


def test_sentences_are_counted():
    """The table says for each folder how much is said and how much is run."""
    rows = {name: (sentences, run) for name, sentences, run in statements.counted()}
    assert rows["rope"][1] > 20
    assert all(sentences > run > 2 for sentences, run in rows.values())


def test_the_answer_written_otherwise():
    """A claim may run the model answer with a line replaced, which has to stand there once."""
    source = next(one for one in sources() if one.folder.name == "minigpt")
    edited = statements.names_of(source, "brief")["edited"]
    assert edited(("PADDING = 0", "PADDING = 7")).PADDING == 7
    with pytest.raises(LookupError, match="stands 0 times"):
        edited(("PADDING = 1", "PADDING = 7"))
