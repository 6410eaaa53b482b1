"""Attention weights as a picture, SVG or PNG: a grid a head, the submission's and the expected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from io import BytesIO
from pathlib import Path

from ..checker import Heat, Report
from ..practice.pictures import save
from .fonts import chinese_font
from .heat import Grid, differs, level, no_heat, weight
from .screen import Screen
from .shades import COLOURS, DARK
from .text import cells, safe
from .words import say

__all__ = ["MARK", "Picture", "composed", "drawn", "png", "save_heat", "svg"]

# By this a picture is known for one of ours.
MARK = "attn-kata heat"

_CELL = 40
_MARGIN = 24
_LABEL = 34
_GAP = 44
_INK, _PALE, _WRONG = "#1f2328", "#e7e9ec", "#d1242f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A filled square with a frame or none."""

    x: int
    y: int
    width: int
    height: int
    fill: str
    frame: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """Text in one line. anchor: which part of it is at x, "start" or "middle"."""

    x: int
    y: int
    text: str
    size: int = 13
    fill: str = _INK
    anchor: str = "middle"


@dataclass(slots=True, kw_only=True)
class Picture:
    """What is drawn, in the order in which it is drawn."""

    width: int = 0
    height: int = 0
    boxes: list[Box] = field(default_factory=list)
    letters: list[Letters] = field(default_factory=list)


def drawn(report: Report, heat: Heat, suffix: str, language: str) -> bytes:
    """Draw a report's weights as a file's ending asks."""
    title = "  ".join(part for part in (report.kata, report.file, report.object or "") if part)
    if suffix.lower() == ".svg":
        return svg(composed(heat, title, language))
    font = _font(heat, language)
    if language == "en" or font is not None:
        return png(composed(heat, title, language), font)
    # The font that can be relied on has Latin letters alone.
    return png(composed(replace(heat, case=""), title, "en"))


def _font(heat: Heat, language: str) -> Path | None:
    """A font for the words of a picture; its title may hold the name of any file."""
    if language == "en":
        return None
    words = {sign for one in composed(heat, "", language).letters for sign in one.text}
    return chinese_font("".join(sorted(words)))


def composed(heat: Heat, title: str, language: str) -> Picture:
    """Lay the grids out, a row a head."""
    picture = Picture()
    picture.letters.append(Letters(x=_MARGIN, y=_MARGIN + 8, text=title, size=16, anchor="start"))
    case = say("heat-title", language, case=heat.case) if heat.case else say("heat-plain", language)
    picture.letters.append(Letters(x=_MARGIN, y=_MARGIN + 30, text=case, anchor="start"))
    queries, keys = len(heat.expected[0]), len(heat.expected[0][0])
    across = _LABEL + keys * _CELL
    top = _MARGIN + 62
    for head, expected in enumerate(heat.expected):
        mine = heat.actual[head] if head < len(heat.actual) else None
        many = len(heat.expected) > 1
        named = f"{say('heat-head', language, head=head)}  " if many else ""
        sides = [(say("expected", language), expected)]
        if mine is not None:
            sides.insert(0, (say("yours", language), mine))
        for place, (side, grid) in enumerate(sides):
            left = _MARGIN + place * (across + _GAP)
            words = Letters(x=left + _LABEL, y=top, text=named + side, anchor="start")
            picture.letters.append(words)
            _grid(picture, grid, heat, head, (left + _LABEL, top + 28))
        top += 28 + queries * _CELL + 38
    count = 2 if heat.actual else 1
    picture.width = 2 * _MARGIN + count * across + (count - 1) * _GAP
    head = max(_breadth(one) for one in picture.letters[:2])
    picture.width = max(picture.width, 480, 2 * _MARGIN + head)
    _scale(picture, top, say("heat-masked", language))
    picture.height = top + 44
    return picture


def _breadth(words: Letters) -> int:
    """How wide words may come out, in whatever font."""
    return round(0.6 * words.size * cells(words.text))


def _grid(picture: Picture, grid: Grid, heat: Heat, head: int, corner: tuple[int, int]) -> None:
    left, top = corner
    small = {"size": 11, "fill": "#59636e"}
    for column in range(len(grid[0])):
        x = left + column * _CELL + _CELL // 2
        picture.letters.append(Letters(x=x, y=top - 9, text=f"k{column}", **small))  # type: ignore[arg-type]
    expected, masked = heat.expected[head], heat.masked[head]
    for row, values in enumerate(grid):
        y = top + row * _CELL
        picture.letters.append(Letters(x=left - 16, y=y + _CELL // 2, text=f"q{row}", **small))  # type: ignore[arg-type]
        for column, value in enumerate(values):
            x = left + column * _CELL
            shut = masked[row][column] and value == 0
            wrong = differs(value, expected[row][column])
            shade = level(value)
            picture.boxes.append(
                Box(
                    x=x, y=y, width=_CELL - 2, height=_CELL - 2,
                    fill=_PALE if shut else COLOURS[shade], frame=_WRONG if wrong else None,
                )
            )  # fmt: skip
            ink = _INK if shut or shade >= DARK else "#ffffff"
            text = "×" if shut else weight(value).strip()
            place = (x + _CELL // 2 - 1, y + _CELL // 2 - 1)
            picture.letters.append(Letters(x=place[0], y=place[1], text=text, size=12, fill=ink))


def _scale(picture: Picture, top: int, masked: str) -> None:
    """The colours from 0 to 1, and the sign for what is masked."""
    picture.letters.append(Letters(x=_MARGIN + 4, y=top + 9, text="0"))
    for step, colour in enumerate(COLOURS):
        x = _MARGIN + 16 + step * 20
        picture.boxes.append(Box(x=x, y=top, width=20, height=18, fill=colour))
    end = _MARGIN + 16 + len(COLOURS) * 20
    picture.letters.append(Letters(x=end + 12, y=top + 9, text="1"))
    picture.boxes.append(Box(x=end + 40, y=top, width=18, height=18, fill=_PALE))
    picture.letters.append(Letters(x=end + 49, y=top + 9, text="×"))
    picture.letters.append(Letters(x=end + 66, y=top + 9, text=masked, anchor="start"))


def svg(picture: Picture) -> bytes:
    """Write a picture as SVG."""
    size = f'width="{picture.width}" height="{picture.height}"'
    view = f'viewBox="0 0 {picture.width} {picture.height}"'
    font = 'font-family="system-ui, sans-serif" dominant-baseline="central"'
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} {font}>',
        f"<!-- {MARK} -->",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for box in picture.boxes:
        frame = f' stroke="{box.frame}" stroke-width="3"' if box.frame else ""
        place = f'x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}"'
        rows.append(f'<rect {place} fill="{box.fill}"{frame}/>')
    for one in picture.letters:
        place = f'x="{one.x}" y="{one.y}" font-size="{one.size}"'
        style = f'fill="{one.fill}" text-anchor="{one.anchor}"'
        rows.append(f"<text {place} {style}>{escape(one.text)}</text>")
    return "\n".join([*rows, "</svg>", ""]).encode()


def png(picture: Picture, file: Path | None = None) -> bytes:
    """Write a picture as PNG, in the letters of a font's file, else in Latin ones."""
    from PIL import Image, ImageDraw, ImageFont
    from PIL.PngImagePlugin import PngInfo

    twice = 2  # sharp on screens of high density
    image = Image.new("RGB", (picture.width * twice, picture.height * twice), "#ffffff")
    draw = ImageDraw.Draw(image)
    for box in picture.boxes:
        corners = (box.x, box.y, box.x + box.width - 1, box.y + box.height - 1)
        place = tuple(twice * number for number in corners)
        draw.rectangle(place, fill=box.fill, outline=box.frame, width=6 if box.frame else 0)
    for one in picture.letters:
        size = one.size * twice
        font = ImageFont.truetype(str(file), size) if file else ImageFont.load_default(size)
        anchor = "mm" if one.anchor == "middle" else "lm"
        place = (one.x * twice, one.y * twice)
        text = one.text if file else _latin(one.text)
        draw.text(place, text, fill=one.fill, font=font, anchor=anchor)
    info = PngInfo()
    info.add_text("Software", MARK)
    held = BytesIO()
    image.save(held, "PNG", pnginfo=info)
    return held.getvalue()


def _latin(text: str) -> str:
    plain = text.replace("×", "x").replace("∞", "inf")
    return plain.encode("ascii", "replace").decode()


def save_heat(screen: Screen, report: Report, file: Path) -> None:
    """Write the weights of a report as a picture."""
    if report.heat is None:
        screen.note(no_heat(report.kata, screen.language))
        return
    save(file, drawn(report, report.heat, file.suffix, screen.language))
    latin = file.suffix.lower() == ".png" and screen.language != "en"
    if latin and _font(report.heat, screen.language) is None:
        screen.note(screen.say("heat-latin"))
    screen.note(screen.say("heat-saved", file=safe(str(file))))
