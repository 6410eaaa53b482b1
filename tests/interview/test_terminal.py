"""A whole interview in a terminal: the real program and judge, and a clock that the test turns."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest
from attn_kata.kata.slips import slips
from attn_kata.practice.interview.clock import Reading
from attn_kata.practice.interview.handout import signatures
from attn_kata.practice.interview.plan import plan_called
from attn_kata.practice.interview.requirements import draw
from attn_kata.practice.interview.session import Session
from attn_kata.practice.interview.store import Store

pytestmark = pytest.mark.usefixtures("shared_judge")

# Seconds. What happens at all happens sooner, on the busiest of machines.
_NEVER = 120
# The program as it is, in a terminal of its own, but for the clock: that is read from a file.
PROGRAM = """
import fcntl, json, sys, termios
from pathlib import Path
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from attn_kata.practice.interview import clock
hands = Path(sys.argv.pop(1))
clock.read = lambda: clock.Reading(**json.loads(hands.read_text("utf-8")))
from attn_kata.cli import main
sys.exit(main())
"""
ANSWER = """
import math
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, width, heads=1, dropout={rate}):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        split = (*x.shape[:2], self.heads, self.size)
        q, k, v = (f(x).view(split).transpose(1, 2) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-2, -1) / math.sqrt({width})
        if mask is not None:
            {shape}
            scores = scores.masked_fill({masked}, torch.finfo(scores.dtype).min)
        out = self.dropout(scores.softmax(-1)) @ v
        return out.transpose(1, 2).reshape(x.shape)
"""


def seed_for(**wanted):
    """Return a seed whose requirements are these."""
    seeds = (seed for seed in range(9999) if wanted.items() <= draw(seed, "junior").items())
    return next(seeds)


class Terminal:
    """A program in a pseudo-terminal: type to it, and wait for what it shows."""

    def __init__(self, *arguments, hands, **environment):
        self.master, slave = pty.openpty()
        self.shown, self.seen = "", 0
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(hands), *arguments],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", **environment}, cwd=hands.parent,
        )  # fmt: skip
        os.close(slave)

    def type(self, *lines):
        """Type lines, each ended."""
        for line in lines:
            os.write(self.master, f"{line}\n".encode())

    def expect(self, text):
        """Read on until a text is shown."""
        end = time.monotonic() + _NEVER
        while text not in self.shown[self.seen :]:
            assert time.monotonic() < end, f"no {text!r} in:\n{self.shown[self.seen :]}"
            if select.select([self.master], [], [], 1)[0] and not self._read():
                break
        assert text in self.shown[self.seen :], self.shown[self.seen :]
        self.seen = self.shown.index(text, self.seen) + len(text)

    def _read(self):
        try:
            found = os.read(self.master, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return False
        self.shown += found
        return bool(found)

    def ended(self):
        """Read to the end, and return the exit status."""
        while select.select([self.master], [], [], _NEVER)[0] and self._read():
            pass
        return self.process.wait(timeout=_NEVER)

    def kill(self):
        """Kill it at once, as a crashing machine would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def hands(tmp_path):
    """The clocks' file: call it to let seconds pass, and to let the machine sleep some."""
    file = tmp_path / "clock.json"
    held = [Reading(wall=4e9, steady=100.0, awake=100.0, boot="one")]

    def turn(seconds=0.0, *, asleep=0.0):
        now = held[0]
        held[0] = replace(
            now,
            wall=now.wall + seconds + asleep,
            steady=now.steady + seconds + asleep,
            awake=now.awake + seconds,
        )
        beside = file.with_suffix(".new")
        beside.write_text(json.dumps(asdict(held[0])), "utf-8")
        beside.replace(file)
        return file

    turn()
    return turn


@pytest.fixture
def start(hands, tmp_path):
    """Start the program; what still runs at the end is ended."""
    started = []

    def begin(*arguments, **environment):
        home = {"ATTN_KATA_HOME": str(tmp_path / "home"), **environment}
        started.append(Terminal(*arguments, hands=hands(), **home))
        return started[-1]

    yield begin
    for terminal in started:
        if terminal.process.poll() is None:
            terminal.kill()
        os.close(terminal.master)


def skip_questions(terminal, home, none):
    """Leave every question unanswered until the interview goes on."""
    while Session.of(1, Store(home).events(1)).put is not None:
        terminal.type("skip")
        terminal.expect(none)


@pytest.mark.costly
def test_from_brief_to_report(start, hands, tmp_path):
    """Wrong and right code, a kill, a nap, the time running out, and the report of it all."""
    seed = seed_for(meaning="drop", output="unwanted", dropout="0.2")
    filled = {
        "rate": 0.2, "width": "self.size", "masked": "mask.bool()",
        "shape": "mask = mask.unsqueeze(1)",
    }  # fmt: skip
    file = tmp_path / "interview.py"
    terminal = start("interview", "--plain", "--plan", "mha", "--seed", str(seed))
    terminal.expect("Please write multi-head attention")
    terminal.type("is there a mask, and what does True mean?")
    terminal.expect("True means masked")
    terminal.type("start")
    terminal.expect("30 minutes")

    hands(300)
    file.write_text(ANSWER.format(**{**filled, "masked": "mask == 0"}), "utf-8")
    terminal.type("submit")
    terminal.expect("Walk me through one row with your mask")
    terminal.expect("25:00 left")
    terminal.kill()

    hands(60, asleep=120)
    terminal = start("interview", "--resume", "--plain")
    terminal.expect("the clock kept running")
    terminal.expect("22:00 left")
    file.write_text(ANSWER.format(**{**filled, "rate": 0.1}), "utf-8")
    terminal.type("submit")
    terminal.expect("it isn't what we agreed on")
    file.write_text(ANSWER.format(**filled), "utf-8")
    terminal.type("submit")
    terminal.expect("That works")
    skip_questions(terminal, tmp_path / "home", "no answer")
    terminal.expect("step 2 of 2: several heads")
    terminal.expect("does end in an output projection")

    hands(1800)
    terminal.expect("time is up")
    terminal.expect("stopped by the clock")
    terminal.expect("mask-inverted")
    terminal.expect("the machine was asleep for 2:00")
    terminal.expect("attn-kata interview report 1")
    assert terminal.ended() == 0

    page = tmp_path / "report.html"
    again = start("interview", "report", "--html", str(page))
    assert again.ended() == 0
    assert "mask-inverted" in page.read_text("utf-8")
    listed = start("list", PAGER="cat")
    assert listed.ended() == 0
    assert "passed" in listed.shown


def test_two_terminals(start):
    """A second terminal is refused while the first holds the interview, and says what to do."""
    first = start("interview", "--plain")
    first.expect("ask what you want to know")
    second = start("interview", "--plain")
    second.expect("in another terminal")
    assert second.ended() == 2
    first.kill()
    third = start("interview", "--plain")
    third.expect("ask what you want to know")


def test_interrupted_and_closed(start):
    """Ctrl-C leaves with 130 and Ctrl-D with 0; the interview is there to go on with."""
    terminal = start("interview", "--plain")
    terminal.expect("ask what you want to know")
    terminal.type("start")
    terminal.expect("your file is")
    terminal.expect("> ")
    os.write(terminal.master, b"\x03")
    terminal.expect("interrupted")
    assert terminal.ended() == 130
    terminal = start("interview", "--resume", "--plain")
    terminal.expect("welcome back")
    terminal.expect("> ")
    os.write(terminal.master, b"\x04")
    terminal.expect("the clock keeps running")
    assert terminal.ended() == 0


def test_on_its_own_screen(start):
    """Without `--plain` a terminal gets the screen, and ^Q gives it back."""
    terminal = start("interview", "--lang", "zh", LINES="24", COLUMNS="80")
    terminal.expect("F1")
    os.write(terminal.master, b"\x11")
    terminal.expect("你离开了")
    assert terminal.ended() == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--minutes", "0"), "more than 0 minutes"),
        (("--minutes", "-5"), "more than 0 minutes"),
        (("--minutes", "x"), "a number of minutes"),
        (("--plan", "lader"), "did you mean `ladder`?"),
        (("--level", "boss"), "one of junior, mid, senior"),
        (("--resume",), "no interview to resume"),
        (("report",), "you have not held an interview yet"),
        (("report", "--html"), "needs a value"),
    ],
)
def test_wrong_usage(start, arguments, words):
    """What cannot be done is said, with status 2."""
    terminal = start("interview", *arguments)
    assert terminal.ended() == 2
    assert words in " ".join(terminal.shown.split())


def wrong_and_right(kata):
    """The model answer with a mistake of the kata's own, where it has some, and as it is."""
    right = kata.solution()
    wrong = right
    for old, new in slips(kata.folder)[0].edits[0] if slips(kata.folder) else ():
        wrong = wrong.replace(old, new)
    return wrong, right


TOLD = {
    "en": {"ask": "which shapes?", "wrong": "not accepted", "right": "That works",
           "none": "no answer",
           "end": "Thank you for your time"},
    "zh": {"ask": "形状是什么？", "wrong": "没有通过", "right": "没问题，谢谢",
           "none": "没有回答", "end": "谢谢你的时间"},
}  # fmt: skip


# Each plan in each language is held, with a judge that loads nothing, in test_functions.py.
@pytest.mark.costly
@pytest.mark.parametrize(("language", "name"), [("en", "operators"), ("zh", "llm")])
def test_a_plan_with_steps_of_functions(start, hands, tmp_path, name, language):
    """Each step wrong, then right, with the real judge; a kill between them; and the reports."""
    words, plan = TOLD[language], plan_called(name)
    seed = seed_for(output="wanted")
    chosen = ("--plan", name, "--seed", str(seed))
    terminal = start("interview", "--plain", "--lang", language, *chosen)
    terminal.expect(signatures(plan.tiers[0].kata)[0])
    terminal.type(words["ask"])
    terminal.expect("(batch, ")
    terminal.type("start")
    terminal.expect("interview.py")
    file = tmp_path / "interview.py"
    for tier in plan.tiers:
        wrong, right = wrong_and_right(tier.kata)
        # Little time is left at the end, so that the plan goes no step further.
        hands(18 * plan.minutes)
        if wrong != right:
            file.write_text(wrong, "utf-8")
            terminal.type("submit")
            terminal.expect(words["wrong"])
            terminal.type("more")
            terminal.expect(f"[{slips(tier.kata.folder)[0].id}]")
            terminal.kill()
            terminal = start("interview", "--resume", "--plain", "--lang", language)
            terminal.expect(signatures(tier.kata)[0])
        file.write_text(right, "utf-8")
        terminal.type("submit")
        terminal.expect(words["right"])
        skip_questions(terminal, tmp_path / "home", words["none"])
    terminal.expect(words["end"])
    terminal.expect("attn-kata interview report 1")
    assert terminal.ended() == 0
    page = tmp_path / "report.html"
    assert start("interview", "report", "--html", str(page), "--lang", language).ended() == 0
    assert all(tier.title[language] in page.read_text("utf-8") for tier in plan.tiers)
