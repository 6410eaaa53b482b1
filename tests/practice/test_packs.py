"""Packs of katas of a person's own: trusted once, looked through, and never in another's way."""

import shutil

import pytest
from attn_kata.dev.unwritten import new_kata
from attn_kata.kata.catalogue import UnknownKata, find, katas
from attn_kata.kata.packs import content, take
from attn_kata.practice.errors import Refusal, Trouble
from attn_kata.practice.packs import VARIABLE, Pack, named, settle, trust


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Nothing is trusted yet, and what a test takes ends with it."""
    monkeypatch.setenv("ATTN_KATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ATTN_KATA_TRUSTED", "[]")


@pytest.fixture
def pack(tmp_path):
    """A pack of two katas."""
    home = tmp_path / "mine"
    for name in ("one", "two"):
        new_kata(name, "function", home)
    return home


def yes(_):
    """Agree to anything."""
    return True


def no(_):
    """Agree to nothing, as where nobody is there to ask."""
    return False


def sound(_):
    """Find nothing wrong."""
    return []


def keys(troubles):
    """Return what is said, without its values."""
    return [one.key for one in troubles]


def ids():
    """Return the katas that count."""
    return [kata.id for kata in katas()]


def settled(home, ask, lint=sound):
    """Settle one pack, and return what is said."""
    return keys(settle([Pack(home=home, by="--katas")], ask, lint))


def test_none_counts_unasked(pack):
    """A pack that nobody agreed to is left out, and said to be."""
    assert settled(pack, no) == ["pack-untrusted"]
    assert "one" not in ids()


def test_asked_once(pack):
    """After one yes a pack counts, behind the package's own, and nobody is asked again."""
    assert settled(pack, yes) == []
    assert ids()[-2:] == ["one", "two"]
    take(())
    assert settled(pack, no) == []
    assert find("one").solution_path == pack / "reference" / "one.py"


@pytest.mark.parametrize("file", ["reference/one.py", "kata/one/learn.py", "kata/two/kata.toml"])
def test_asked_again_when_it_changed(pack, file):
    """What was agreed to is what it held: a changed byte of any file asks anew."""
    settled(pack, yes)
    with (pack / file).open("a", encoding="utf-8") as stream:
        stream.write("\n# changed\n")
    assert settled(pack, no) == ["pack-untrusted"]
    with pytest.raises(UnknownKata):
        find("one")


def test_always(pack):
    """A folder that is trusted whatever it holds may change; withdrawn, it is asked about."""
    trust(pack, always=True, withdrawn=False)
    (pack / "kata" / "one" / "more.md").write_text("x", "utf-8")
    assert settled(pack, no) == []
    trust(pack, always=False, withdrawn=True)
    assert settled(pack, no) == ["pack-untrusted"]


def test_faulty_kata_alone_is_left_out(pack):
    """A kata with a problem is told, with the problem; the pack's other katas count."""
    wrong = "kata/one/hints.toml:3: cannot be read as TOML; mend it"
    assert settled(pack, yes, lambda _: [wrong]) == ["pack-problem"]
    assert "two" in ids()
    assert "one" not in ids()


def test_looked_through_once(pack):
    """What was found is remembered for as long as nothing changes."""
    looked = []

    def lint(room):
        looked.append(room)
        return []

    settled(pack, yes, lint)
    settled(pack, yes, lint)
    assert looked == [pack / "kata"]
    (pack / "kata" / "one" / "stub.py").write_text("", "utf-8")
    settled(pack, yes, lint)
    assert len(looked) == 2


def test_many_problems_are_counted(pack):
    """Three problems are told, the rest counted."""
    wrong = [f"kata/one/hints.toml:{line}: odd; mend it" for line in range(9)]
    assert settled(pack, yes, lambda _: wrong) == ["pack-problem"] * 3 + ["pack-more"]


def test_name_that_is_taken(pack):
    """A kata with the name of another is left out and told; the package's own stands."""
    shutil.copytree(pack / "kata" / "one", pack / "kata" / "mha")
    assert settled(pack, yes) == ["pack-name"]
    assert find("mha").solution_path != pack / "reference" / "mha.py"


def test_every_way_to_name_one(pack, tmp_path, monkeypatch):
    """By option, variable, setting and an installed package; what is not there is told."""
    place = tmp_path / "site"
    info = place / "theirs-1.0.dist-info"
    (place / "theirs" / "exercises").mkdir(parents=True)
    (place / "theirs" / "__init__.py").write_text("raise SystemExit('imported')", "utf-8")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n", "utf-8")
    table = "[attn_kata.katas]\ntheirs = theirs.exercises\ngone = nowhere\n"
    (info / "entry_points.txt").write_text(table, "utf-8")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv(VARIABLE, str(pack))
    found = list(named([str(pack), str(tmp_path / "lost")], str(pack)))
    missing = [one for one in found if isinstance(one, Trouble)]
    assert [one.by for one in found if isinstance(one, Pack)] == [
        "--katas", VARIABLE, "attn-kata config katas", "theirs",
    ]  # fmt: skip
    assert [one.values["folder"] for one in missing] == [str(tmp_path / "lost"), "gone"]
    assert place / "theirs" / "exercises" in [one.home for one in found if isinstance(one, Pack)]


def test_spoilt_memory_asks_again(pack, tmp_path):
    """Where what is remembered cannot be read, nothing counts as trusted."""
    settled(pack, yes)
    (tmp_path / "home" / "packs.json").write_text('{"x": 3}', "utf-8")
    assert settled(pack, no) == ["pack-untrusted"]


def test_content_is_of_both_folders(pack):
    """Names and bytes of katas and model answers make up what is agreed to, caches do not."""
    before = content(pack / "kata")
    cache = pack / "reference" / "__pycache__"
    cache.mkdir()
    (cache / "one.pyc").write_bytes(b"x")
    assert content(pack / "kata") == before
    (pack / "kata" / "one" / "stub.py").rename(pack / "kata" / "one" / "stab.py")
    assert content(pack / "kata") != before


def test_no_folder(tmp_path):
    """What is no folder cannot be trusted."""
    with pytest.raises(Refusal, match="pack-none"):
        trust(tmp_path / "none", always=False, withdrawn=False)


def test_judged_like_any_other(shared_judge, pack, tmp_path):
    """A trusted kata is judged by its own model answer, in a judge that may have been there."""
    from attn_kata.checker import Bench, Options

    settled(pack, yes)
    right = shutil.copy(pack / "reference" / "one.py", tmp_path / "right.py")
    wrong = tmp_path / "wrong.py"
    text = right.read_text("utf-8")
    wrong.write_text(text.replace("x / math.sqrt(depth)", "x"), "utf-8")
    with Bench() as bench:
        reports = list(bench.judge("one", [right, wrong], Options()))
    assert [report.verdict for report in reports] == ["pass", "fail"]
    assert [one.mistake for one in reports[1].diagnosis] == ["scale-missing"]
