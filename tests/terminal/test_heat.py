"""Attention weights on the screen and as pictures."""

import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from attn_kata.checker.report.report import Heat, Report
from attn_kata.kata.catalogue import find
from attn_kata.terminal import fonts
from attn_kata.terminal.fonts import chinese_font
from attn_kata.terminal.heat import differs, heat_lines, level, weight
from attn_kata.terminal.optional import parted
from attn_kata.terminal.picture import MARK, composed, drawn, svg
from attn_kata.terminal.text import cells, written
from attn_kata.terminal.words import say
from PIL import Image, ImageFont

GOLDEN = Path(__file__).parent / "golden"
WRITE = "REGENERATE_GOLDEN"

EXPECTED = [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.1, 0.2, 0.7]]
MINE = [[0.6, 0.4, 0.0], [0.25, 0.75, 0.0], [0.1, 0.3, 0.6]]
MASKED = [[False, True, True], [False, False, True], [False, False, False]]


def heat(heads=2, actual=None, **more):
    """Weights of so many heads."""
    return Heat(
        case="batch 2, length 3, causal mask",
        expected=[EXPECTED] * heads,
        actual=[MINE] * heads if actual is None else actual,
        masked=[MASKED] * heads,
        line=31,
        **more,
    )


def report(one, kata="mha"):
    """A report that has these weights."""
    return Report(kata=kata, file="mine.py", verdict="fail", heat=one)


def text(one, language="en", width=80, *, colour=False, kata="mha"):
    """Draw weights as text."""
    lines = heat_lines(report(one, kata), language, width, colour=colour)
    return "".join(f"{written(line)}\n" for line in lines)


@pytest.mark.parametrize("width", [80, 30])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_grid_is_the_stored_one(language, width):
    """The grids are drawn as they were when a person last looked at them."""
    file = GOLDEN / f"heat.{language}.{width}.txt"
    now = text(heat(), language, width)
    if os.environ.get(WRITE):
        file.write_text(now, "utf-8")
    assert now == file.read_text("utf-8"), f"if this is better: {WRITE}=1 pytest {__file__}"
    assert all(cells(row) <= width for row in now.splitlines())


def test_without_colour_signs_say_it():
    """Masked cells, differing cells and shades have signs of their own."""
    rows = text(heat(heads=1)).splitlines()
    row = next(row for row in rows if row.startswith("  q0"))
    assert row.count("*") == 2
    assert row.count("×") == 1 + 2
    assert "▓.60*" in row


def test_in_colour_the_shade_is_the_background():
    """Every weight has its shade as a style, and masked cells have none."""
    lines = heat_lines(report(heat(heads=1)), "en", 80, colour=True)
    styles = [style for line in lines for _, style in line]
    assert "heat8" in styles
    assert "heat2" in styles
    assert "█" not in text(heat(heads=1), colour=True)


def test_many_heads_are_cut():
    """The screen shows the first heads and says where the others are."""
    shown = text(heat(heads=9))
    assert "head 3" in shown
    assert "head 4" not in shown
    assert "5 more heads" in shown


def test_no_weights():
    """Where there are none it says so."""
    assert "no weights to show" in text(None)
    assert "no tensor of attention weights" in text(heat(actual=[]))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_kata_without_weights_says_why(language):
    """Nobody is told that the judge could not get as far where there is nothing to get to."""
    told = text(None, language, kata="rope")
    reason = find("rope").no_weights
    assert reason is not None
    assert reason[language][:12] in told
    assert say("heat-none", language)[:12] not in told


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, ".00"), (0.004, ".00"), (0.25, ".25"), (0.996, "1.0"), (1.0, "1.0"), (-0.3, "-.3"),
        (-1.4, " -1"), (12.3, " 12"), (-12.0, "-12"), (120.0, "120"), (1e9, " ∞ "),
        (float("nan"), "nan"), (float("-inf"), "-∞ "),
    ],
)  # fmt: skip
def test_a_weight_takes_three_columns(value, shown):
    """Whatever a weight is, its cell keeps its width."""
    assert weight(value) == shown
    assert len(shown) == 3
    assert 0 <= level(value) <= 8


def test_what_differs():
    """NaN equals NaN alone, and rounding is no difference."""
    nan = float("nan")
    assert not differs(0.5, 0.5 + 1e-6)
    assert differs(0.5, 0.51)
    assert differs(nan, 0.5)
    assert not differs(nan, nan)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_svg_holds_every_cell(language):
    """A cell, a frame around what differs, and its words, as XML that parses."""
    data = svg(composed(heat(), "mha  <mine>.py", language))
    tree = ET.fromstring(data.decode())
    boxes = [one for one in tree if one.tag.endswith("rect")]
    framed = [one for one in boxes if one.get("stroke")]
    words = [one.text for one in tree if one.tag.endswith("text")]
    assert len(framed) == 2 * 4
    # Three masked cells in each of four grids; one of the submission's has weight; the legend.
    assert words.count("×") == 2 * (3 + 2) + 1
    assert "mha  <mine>.py" in words
    assert MARK.encode() in data[:300]


def test_png_is_a_picture_of_the_same_size():
    """A PNG that opens, twice as fine, known for ours."""
    report = Report(kata="mha", file="我的.py", verdict="fail", object="MultiHeadAttention")
    data = drawn(report, heat(), ".PNG", "en")
    picture = composed(heat(), "mha  我的.py  MultiHeadAttention", "en")
    with Image.open(BytesIO(data)) as image:
        assert image.format == "PNG"
        assert image.size == (2 * picture.width, 2 * picture.height)
        assert image.info["Software"] == MARK
        # The first cell of the submission's grid is 0.6: neither paper nor ink.
        assert image.getpixel((2 * 64, 2 * 120)) == (40, 174, 128)


@pytest.mark.parametrize("title", ["", "mha  a/folder/far/away/" + 4 * "my_" + "attention.py"])
def test_words_do_not_run_out_of_the_picture(title):
    """It is as wide as what stands above its grids, at least."""
    case = "batch 2, length 5, heads 3, head_dim 4, hidden_dim 12, no mask"
    picture = composed(replace(heat(), case=case), title, "en")
    for one in picture.letters[:2]:
        font = ImageFont.load_default(one.size)
        assert one.x + font.getlength(one.text) <= picture.width - one.x
    assert len(picture.letters[1].text) > 60


def test_png_in_chinese_where_a_font_is_found(monkeypatch):
    """Its words are those of the language, drawn with that font; in English where there is none."""
    report = Report(kata="mha", file="mine.py", verdict="fail", object="MultiHeadAttention")
    asked = []

    def found(needed):
        asked.append(needed)
        return font

    font = None
    monkeypatch.setattr("attn_kata.terminal.picture.chinese_font", found)
    plain = drawn(report, heat(), ".png", "zh")
    assert plain == drawn(report, replace(heat(), case=""), ".png", "en")
    font = next(Path("/").glob("usr/share/fonts/truetype/*/*.ttf"), None)
    assert set("你的应为") <= set(asked[0])
    if font is not None:
        assert drawn(report, heat(), ".png", "zh") not in {
            plain,
            drawn(report, heat(), ".png", "en"),
        }


def test_a_font_without_the_characters_is_none_for_them(monkeypatch):
    """A font is known by what it can draw, not by its name."""
    latin = next(Path("/").glob("usr/share/fonts/truetype/*/DejaVuSans.ttf"), None)
    if latin is None:
        pytest.skip("no font to ask here")
    monkeypatch.setattr(fonts, "_candidates", lambda: iter([latin]))
    chinese_font.cache_clear()
    assert chinese_font("weights") == latin
    assert chinese_font("weights 权重") is None
    chinese_font.cache_clear()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["mha", "a.py", "--heat"], ["mha", "a.py", "--heat"]),
        (["--heat", "a.py"], ["--heat", "a.py"]),
        (["--heat", "w.PNG", "a.py"], ["--heat", "--heat-file", "w.PNG", "a.py"]),
        (["a.py", "--heat", "w.svg"], ["a.py", "--heat", "--heat-file", "w.svg"]),
        (["--heat=w", "a.py"], ["--heat", "--heat-file", "w", "a.py"]),
        (["--heat", "w.jpg"], ["--heat", "--heat-file", "w.jpg"]),
        (["--heat", "--trace"], ["--heat", "--trace"]),
        (["--", "--heat", "w.svg"], ["--", "--heat", "w.svg"]),
    ],
)
def test_heat_stands_alone_or_names_a_picture(given, read):
    """The file to judge is never taken for the picture."""
    assert parted(given) == read
