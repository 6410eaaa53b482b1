"""The watch screen, with its keys: views held against stored ones, and a real terminal's ways.

REGENERATE_GOLDEN=1 writes the stored screens anew.
"""

import asyncio
import os
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice import clock
from attn_kata.practice.debug.exercise import Order, worked_out
from attn_kata.terminal.screen import Screen
from attn_kata.terminal.text import cells, written
from attn_kata.terminal.watch.app import WatchApp
from attn_kata.terminal.watch.frame import foot_lines, framed, key_line
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

GOLDEN = Path(__file__).parent / "golden"
WRITE = "REGENERATE_GOLDEN"
LANGUAGES = ("en", "zh")
SIZES = [(columns, rows) for columns in (50, 80, 120) for rows in (24, 10)]
UP, DOWN, PAGE_UP, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~"
HOME, END, ESCAPE = "\x1b[H", "\x1b[F", "\x1b"

alone = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "watch_alone.py")))

WRONG = "# fail\nproducts = query @ key.transpose(-2, -1)\nscores = products / self.hidden_dim\n"
RIGHT = WRONG.replace("fail", "pass")


class Glass(DummyOutput):
    """A terminal of a size that can change."""

    def __init__(self, columns, rows):
        self.columns, self.lines = columns, rows

    def get_size(self):
        """Return the size."""
        return Size(rows=self.lines, columns=self.columns)


class Sight:
    """The screen, and hands that press its keys."""

    def __init__(self, app, keyboard, glass, file):
        self.app, self.keyboard, self.glass, self.file = app, keyboard, glass, file

    @property
    def rows(self):
        """What each row of the screen shows."""
        screen = self.app.app.renderer.last_rendered_screen
        found = []
        for row in range(self.glass.lines):
            line = screen.data_buffer[row]
            # A wide character is followed by a cell that is empty.
            text = "".join(line[column].char for column in range(self.glass.columns))
            found.append(text.rstrip())
        return found

    @property
    def text(self):
        """What the screen shows."""
        return "\n".join(self.rows).rstrip()

    async def until(self, seen):
        """Wait until the screen is as it should be."""
        for _ in range(500):
            if seen(self):
                return
            await asyncio.sleep(0.01)
        raise AssertionError(self.text)

    async def press(self, *keys):
        """Press keys, and wait until the screen was drawn after each."""
        for key in keys:
            drawn = self.app.app.render_counter
            self.keyboard.send_text(key)
            await self.until(lambda _, drawn=drawn: self.app.app.render_counter > drawn)

    async def save(self, text):
        """Write the file and wait for its verdict; None removes it."""
        report = self.app.rounds.session.report
        self.file.unlink() if text is None else self.file.write_text(text)
        await self.until(lambda _: self.app.rounds.session.report is not report)
        await self.until(lambda _: text is None or self.app.rounds.session.report is not None)
        await asyncio.sleep(0.02)


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """Watch a file on a screen while a coroutine acts; it is at the first verdict then."""
    monkeypatch.setattr(clock, "now", lambda: 1_700_000_000.0)
    monkeypatch.setattr(clock, "hour", lambda moment: "22:33")
    monkeypatch.chdir(tmp_path)

    def see(act, *, size=(80, 24), language="en", text=WRONG, held=False):
        file = Path("v1.py")
        file.write_text(text)
        alone.Judges.held = held
        watched = alone.rounds(file, language, tmp_path / "home")
        glass = Glass(*size)

        async def run(keyboard):
            app = WatchApp(Screen(language), watched, keyboard, glass)
            sight = Sight(app, keyboard, glass, file)
            shown = asyncio.ensure_future(
                app.app.run_async(pre_run=app._begin, set_exception_handler=False)
            )
            await sight.until(lambda one: one.app.app.renderer.last_rendered_screen is not None)
            await sight.until(lambda one: held or one.app.rounds.session.report is not None)
            await asyncio.sleep(0.02)
            acted = asyncio.ensure_future(act(sight))
            await asyncio.wait([shown, acted], return_when=asyncio.FIRST_COMPLETED)
            if not shown.done():
                app.leave()
            await acted
            return await shown

        with create_pipe_input() as keyboard:
            try:
                return asyncio.run(run(keyboard))
            finally:
                watched.close()

    yield see
    alone.Judges.held = False


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("language", LANGUAGES)
def test_screens_are_the_stored_ones(seen, language, size):
    """At every size and in both languages the screens are as when a person last looked."""
    told = []

    async def act(at):
        def note(name):
            # How many katas lie below the screen follows from the data.
            text = re.sub(r"(?m)^(↓ \D*)\d+", r"\1N", at.text) if name == "list" else at.text
            told.append(f"=== {name}\n{text}\n")

        note("fail")
        await at.press("?")
        note("keys")
        await at.press("l")
        note("list")
        await at.press("/", "g", "q", "a")
        note("list, filtered")
        await at.press(ESCAPE, "b", "s")
        note("solution, asked for")
        await at.save(None)
        note("removed")
        await at.save(RIGHT)
        note("pass")

    seen(act, size=size, language=language)
    file = GOLDEN / f"watch.{language}.{size[0]}x{size[1]}.txt"
    text = "\n".join(told)
    if os.environ.get(WRITE):
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8"), f"if this is better: {WRITE}=1 pytest {__file__}"


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_fits(seen, language, size):
    """No view is higher or wider than the terminal; its keys stand below it, its end is reached."""
    columns, rows = size

    async def act(at):
        for keys in ("", "b", "w", "h", "t", "e", "ss", "l", "?"):
            await at.press(*keys)
            app = at.app
            for _ in range(100):
                lines = [*app.body, *app.foot]
                assert len(lines) <= rows
                assert max(cells(written(line)) for line in lines) <= columns
                assert at.rows[-1]
                assert any("q " in row for row in at.rows[-3:])
                before = app.offset, app.chooser.chosen
                await at.press(PAGE_DOWN)
                if (app.offset, app.chooser.chosen) == before:
                    break
            else:
                raise AssertionError("no end")
            app.back()

    seen(act, size=size, language=language)


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", ("bug 1 is about", "bug 1 is in", "bug 1 is on line", "all hints were given")),
     ("zh", ("第 1 处 bug 跟", "第 1 处 bug 在 `", "文件刚发下来时", "提示已经给完了"))],
)  # fmt: skip
def test_hints_of_an_exercise_are_on_its_bugs(seen, language, told):
    """On a file with planted bugs `h` tells area, step and line, and takes no hint of the kata."""
    exercise = worked_out(Order(kata=find("v1"), seed=5, count=1))
    assert exercise is not None

    async def act(at):
        for text in told:
            await at.press("h")
            assert text in at.text
        assert not any(key == "h" for key, *_ in WatchApp.keys(at.app))
        assert at.app.rounds.recorder.workspace.hints_seen("v1", "") == 0

    seen(act, language=language, text=exercise.text)


def test_keys_that_scroll(seen):
    """Arrows, letters, pages and ends move by what they say, and stop at both ends."""

    async def act(at):
        async def moved(*keys):
            await at.press(*keys)
            return at.app.offset

        await at.press("b")
        first = at.rows[0]
        assert first.startswith("v1 · ")
        assert [await moved(key) for key in (DOWN, "j", DOWN, UP, "k")] == [1, 2, 3, 2, 1]
        page = await moved(PAGE_DOWN)
        assert page > 12
        assert await moved(PAGE_UP) == 1
        assert await moved(" ") == page
        assert await moved(HOME) == 0
        assert at.rows[0] == first
        last = await moved(END)
        assert "the end" in at.text
        assert [await moved(key) for key in (DOWN, " ", PAGE_DOWN, "G")] == [last] * 4
        assert await moved("g", UP, PAGE_UP) == 0

    seen(act)


def test_a_key_that_means_nothing_does_nothing(seen):
    """Letters, digits, capitals, unknown sequences and a paste leave the view as it is."""

    async def act(at):
        await at.press("t")
        shown = at.text
        for key in ("x", "7", "B", "Q", "é", "题", "\t", "\x1b[1;2P", "\x1b[200~q\x1b[201~"):
            await at.press(key)
            assert at.text == shown, key
        await at.press("b")
        assert "FAIL" in at.text

    seen(act)


def test_every_kata_is_reached_and_none_by_a_digit(seen, tmp_path):
    """The list marks what the arrows lead to; a filter leaves what fits; Enter opens it."""

    async def act(at):
        await at.press("l", "2", "1", "9")
        marked = [at.app.chooser.chosen]
        for _ in katas()[1:]:
            await at.press(DOWN)
            marked.append(at.app.chooser.chosen)
            assert sum(row.startswith("> ") for row in at.rows) == 1
        assert sorted(kata.id for kata in marked) == sorted(kata.id for kata in katas())
        assert [path.name for path in tmp_path.glob("*.py")] == ["v1.py"]
        await at.press(DOWN)
        assert at.app.chooser.chosen is marked[-1]
        # Letters that are keys elsewhere are letters here.
        await at.press("/", *"linear", "\r")
        assert at.app.rounds.kata.id == "linear"
        await at.until(lambda one: one.app.rounds.session.report is not None)
        assert (tmp_path / "linear.py").read_text() == find("linear").stub()

    seen(act)


def test_filter(seen):
    """It finds names, titles of either language and what they are about; Escape shows all."""

    async def act(at):
        async def found(text):
            await at.press("/", *text)
            names = [kata.id for kata in at.app.chooser.found]
            chosen = at.app.chooser.chosen
            await at.press(ESCAPE)
            return names, chosen and chosen.id

        await at.press("l")
        assert await found("mha") == (["mha"], "mha")
        names, chosen = await found("causal")
        assert chosen == "causal"
        assert "window" in names
        # Another kata holds the word too, and stands before it.
        assert (await found("linear"))[1] == "linear"
        assert "mha" in (await found("多头"))[0]
        assert await found("zzz") == ([], None)
        assert len(at.app.chooser.found) == len(katas())
        await at.press("/", *"gqa", DOWN)
        assert at.app.chooser.chosen.id == "gqa-rope"
        assert at.rows[-1] == "Enter open   Esc all katas"
        await at.press(ESCAPE)
        assert "q quit" in at.rows[-1]
        await at.press("/", *"zzz", "\r")
        assert "no kata matches `zzz`" in at.text
        await at.press(ESCAPE, ESCAPE)
        assert "FAIL" in at.text

    seen(act)


def test_next_kata_is_offered_on_a_pass_alone(seen, tmp_path):
    """Its key does nothing before; then it hands out the stub and watches that."""

    async def act(at):
        await at.press("n")
        assert at.app.rounds.kata.id == "v1"
        await at.save(RIGHT)
        assert "next: v2" in at.text
        await at.press("n")
        assert at.app.rounds.kata.id == "v2"
        assert (tmp_path / "v2.py").exists()

    seen(act)


def test_folder_that_cannot_be_written(seen, tmp_path):
    """Where a stub cannot be handed out the screen says so and stays with what it has."""

    async def act(at):
        (tmp_path / "cross.py").symlink_to(tmp_path / "nowhere" / "cross.py")
        await at.press("l", "/", *"cross", "\r")
        assert "cross.py" in at.text
        assert at.app.view == "refusal"
        await at.press("b")
        assert "FAIL" in at.text

    seen(act)


def test_removed_file_is_one_state(seen):
    """Nothing is left of its verdict; saved again it is judged again."""

    async def act(at):
        await at.save(None)
        assert at.rows[0].startswith("v1.py is missing")
        assert "judged in" not in at.text
        for key in "rwten":
            await at.press(key)
            assert at.rows[0].startswith("v1.py is missing")
        await at.save(RIGHT)
        assert at.rows[0].endswith("PASS")
        await at.save(None)
        assert "next kata" not in at.text

    seen(act)


def test_resize_redraws(seen):
    """The screen is drawn for the size that the terminal has now."""

    async def act(at):
        at.glass.columns, at.glass.lines = 50, 10
        at.app.app._on_resize()
        await at.until(lambda one: len(one.rows) == 10 and one.rows[0].endswith("FAIL"))
        assert len(at.rows[0]) == 50

    seen(act)


def test_verdict_that_is_late_is_announced(seen):
    """A check that takes long is said to be under way; the one before it stays in sight."""

    async def act(at):
        assert "judging" not in at.text
        alone.Judges.held = True
        await at.press("r")
        assert "judging" not in at.text
        await at.until(lambda one: "judging v1.py" in one.text)
        assert at.rows[0].endswith("FAIL")

    seen(act)


def test_before_the_first_verdict(seen):
    """It says that the judge is being started."""

    async def act(at):
        assert "starting the judge" in at.text
        assert "judging v1.py" in at.text

    seen(act, held=True)


def test_what_goes_wrong_ends_the_screen_first(seen):
    """A fault of ours is raised once the terminal is put back, not drawn over."""

    async def act(at):
        at.app.rounds.step = lambda seconds: 1 / 0
        at.file.write_text(RIGHT)
        await asyncio.sleep(0.2)

    assert isinstance(seen(act), ZeroDivisionError)


def test_long_view_is_cut_to_the_room():
    """What does not fit is counted; beyond the end there is nothing."""
    body = [[(f"line {number}", "")] for number in range(50)]
    shown, start, page = framed(body, 21, 0, "en")
    assert (len(shown), start, page) == (21, 0, 18)
    assert "30 more lines" in written(shown[-1])
    shown, start, _ = framed(body, 21, 10, "en")
    assert (written(shown[0]), start) == ("line 10", 10)
    shown, start, _ = framed(body, 21, 60, "en")
    assert (written(shown[-2]), start) == ("line 49", 30)
    assert framed(body[:5], 21, 3, "en") == (body[:5], 0, 0)


def test_foot_leaves_room_for_the_view():
    """Keys and status come down to a row each, then notes go, where the screen is low."""
    keys = [("r", "run"), ("b", "brief"), ("s", "solution"), ("q", "quit"), ("?", "keys")]

    def foot(width, height):
        lines = foot_lines(["a note " * 9], "judged " * 9, keys, width=width, height=height)
        return [written(line) for line in lines]

    assert foot(80, 24)[1:] == [("a note " * 9).strip(), ("judged " * 9).strip(),
                                "r run   b brief   s solution   q quit   ? keys"]  # fmt: skip
    low = foot(30, 9)
    assert low == ["", "judged judged judged judged j…", "r run   q quit   ? keys"]


def test_keys_wrap():
    """On a narrow screen the keys take another line."""
    named = [("n", "next kata"), ("r", "run"), ("q", "quit")]
    assert [written(line) for line in key_line(named, 80)] == ["n next kata   r run   q quit"]
    assert [written(line) for line in key_line(named, 20)] == ["n next kata   r run", "q quit"]
