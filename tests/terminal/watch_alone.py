"""The watch command with a judge that reads the verdict in the file: what a terminal is tried on.

Run as a program: `python watch_alone.py LANGUAGE FILE`. Its first line is the verdict.
"""

import signal
import socket
import sys
from pathlib import Path

from attn_kata.checker.client import Underway
from attn_kata.checker.report.report import Check, Diagnosis, Difference, Heat, Remark, Report, Step
from attn_kata.kata.catalogue import find
from attn_kata.practice.judging import Wishes
from attn_kata.practice.record import Recorder
from attn_kata.practice.targets import Target
from attn_kata.practice.workspace import Workspace

TOLD = {
    "en": "the scores are divided by d itself; the root of d is wanted",
    "zh": "分数除以了 d 本身；应该除以 d 的平方根",
}


def report(kata, file, language):
    """Return a report with the verdict that the file's first line names."""
    text = file.read_text()
    verdict = "pass" if text.startswith("# pass") else "fail"
    told = Report(kata=kata, file=str(file), object="SelfAttentionV1", verdict=verdict, seed=7)
    told.elapsed_ms = 212
    told.trace = [
        Step(line=2, call="matmul", shape=[2, 5, 5], milestone="products"),
        Step(line=3, call="div", shape=[2, 5, 5]),
    ]
    told.heat = Heat(
        case="batch 2, length 2", expected=[[[0.25, 0.75], [0.5, 0.5]]],
        actual=[[[0.25, 0.75], [0.5, 0.5]]], masked=[[[False, False], [False, False]]], line=4,
    )  # fmt: skip
    if verdict == "pass":
        told.checks = [Check(id="values", status="pass", cases=18), Check(id="mask", status="pass")]
        told.remarks = [Remark(id="prints", message="`print`", line=2)]
        return told
    told.checks = [
        Check(id="values", status="fail", detail="12 / 17"),
        Check(id="shape", status="pass"),
    ]
    told.diagnosis = [
        Diagnosis(
            mistake="scale-without-sqrt", message=TOLD[language], line=3,
            yours="scores = products / self.hidden_dim",
            reference="scores = products / math.sqrt(self.hidden_dim)",
            matches="scores = products / self.hidden_dim",
        )
    ]  # fmt: skip
    told.difference = Difference(
        case="batch 1, length 2", at=[0, 1, 1], axes=["batch", "length", "hidden_dim"],
        expected_shape=[1, 2, 2], actual_shape=[1, 2, 2], wrong=1, total=4, tolerance=1e-6,
        expected=[[0.1, 0.2], [0.3, 1.23]], actual=[[0.1, 0.2], [0.3, 1.04]],
    )  # fmt: skip
    return told


class AtOnce(Underway):
    """A check whose report is there at once, unless it is held back."""

    def __init__(self, made, held):
        self.made = made
        self.ours, self.theirs = socket.socketpair()
        if not held:
            self.theirs.send(b".")

    def fileno(self):
        """Return what can be read once the report is there."""
        return self.ours.fileno()

    def report(self):
        """Return the report."""
        self.drop()
        return self.made

    def drop(self):
        """Let go."""
        self.ours.close()
        self.theirs.close()


class Judges:
    """A row of judges. held: whether their reports do not come."""

    renewals = 0
    held = False

    def __init__(self, language):
        self.language = language

    def begin(self, kata, file, options):
        """Begin a check."""
        return AtOnce(report(kata, file, self.language), self.held)

    def judge(self, kata, files, options):
        """Judge files, and wait for it."""
        return iter([report(kata, file, self.language) for file in files])


def rounds(file, language, home):
    """Return what is watched: the kata v1 in a file."""
    from attn_kata.terminal.watch.rounds import Rounds

    recorder = Recorder(Workspace(home), "watch")
    recorder.started("v1", file)
    return Rounds(Target(find("v1"), file), Judges(language), recorder, Wishes(language=language))


def main():
    """Watch a file in the terminal that this runs in."""
    from attn_kata.terminal.screen import Screen
    from attn_kata.terminal.watch.app import WatchApp

    signal.signal(signal.SIGINT, signal.default_int_handler)
    language, name = sys.argv[1:]
    watched = rounds(Path(name), language, Path(name).parent / "home")
    try:
        WatchApp(Screen(language), watched).run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        watched.close()


if __name__ == "__main__":
    main()
