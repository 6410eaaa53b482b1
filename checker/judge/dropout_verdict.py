"""The dropout check: what is said of what train mode does."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..diagnose.expressions import calls
from ..diagnose.giveaways import call_line, keyword_line
from ..report.message import say
from .dropout_finding import SAME_RATE, DropoutFinding, Reading
from .sheet import Sheet

__all__ = ["judge_dropout"]

# A rate that nobody asked for is taken as it is, up to here.
_MOST = 0.55
# What is kept grows less than by this where it is left as it is.
_UNSCALED = 1e-3
# Layers that drop no entry by itself.
_WHOLE = ("Dropout1d", "Dropout2d", "Dropout3d")
# What makes every call draw the same.
_SEEDING = ("manual_seed", "seed", "set_rng_state", "fork_rng")


def judge_dropout(
    sheet: Sheet,
    wanted: str,
    found: DropoutFinding | None,
    modules: list[list[str]],
    masked: Sequence[int | None] = (),
) -> None:
    """Dropout on the weights, after softmax, scaled, at the rate asked for, off in eval.

    wanted: as a contract's dropout. found: None where train mode could not be tried. modules:
    name and kind of each layer. masked: where it is seen that a call with a mask comes to a
    dropout, though none without one does; none where it comes to none.
    """
    if found is None:
        sheet.set("dropout", "skip", say("waits", check="values"))
        return
    if found.place == "none":
        if masked and not found.calls:
            sheet.set("dropout", "fail", say("dropout-with-mask-alone"))
            sheet.blame("dropout-missing", masked[0], "dropout-with-mask-alone")
            return
        _no_dropout(sheet, wanted, found, modules)
        return
    if found.idle is not None:
        without, with_one = "dropout-without-mask-alone", "dropout-with-mask-alone"
        key = without if found.idle.masked else with_one
        sheet.set("dropout", "fail", say(key))
        sheet.blame("dropout-missing", found.idle.line, key)
        return
    if found.place == "residual" and wanted in {"optional", "remark"}:
        if wanted == "remark":
            sheet.remark("dropout-not-applied")
        sheet.set("dropout", "pass", say("dropout-none"))
        return
    if found.place in {"weights", "beside"}:
        _rate(sheet, found)
        return
    if found.place == "unknown":
        sheet.set("dropout", "skip", say("dropout-unknown"))
        return
    mistake = "dropout-before-softmax" if found.place == "scores" else "dropout-on-output"
    on_output = found.place in {"output", "residual"}
    where = say("place-output" if on_output else "place-elsewhere")
    sheet.set("dropout", "fail", say(mistake, where=where))
    sheet.blame(mistake, found.line, where=where)


def _no_dropout(sheet: Sheet, wanted: str, found: DropoutFinding, modules: list[list[str]]) -> None:
    idle = [name for name, kind in modules if kind == "Dropout"]
    if wanted == "required":
        sheet.set("dropout", "fail", say("dropout-missing"))
        # One that is called and changes nothing has its result thrown away.
        thrown = found.calls[0].line if found.calls else None
        drawn = sheet.lines.calling("softmax") or sheet.lines.naming("softmax")
        sheet.blame("dropout-missing", thrown or drawn)
        if idle and not found.calls:
            line = sheet.lines.assignment(idle[0].split(".")[-1])
            sheet.remark("dropout-unused", line, name=idle[0])
        return
    if idle and not found.calls:
        sheet.remark("dropout-unused", sheet.lines.assignment(idle[0].split(".")[-1]), name=idle[0])
    elif found.asked is not None and wanted != "none":
        # Asked for and made nowhere: no dropout is there that could be called.
        line = sheet.lines.naming("dropout")
        sheet.remark("dropout-not-applied", line, "dropout-argument-ignored")
    elif wanted == "remark":
        sheet.remark("dropout-not-applied")
    sheet.set("dropout", "pass", say("dropout-none"))


def _rate(sheet: Sheet, found: DropoutFinding) -> None:
    rate, reading = found.rate, found.reading
    if _shared(sheet, found):
        return
    layer = next((c.module for c in found.calls if c.line == found.line), None)
    if layer:
        # The rate is set where the layer is made, not where it is called.
        found.line = sheet.lines.assignment(layer.split(".")[-1]) or found.line
    elif found.place == "weights" and not _called_at(sheet, found.line):
        # Called by what it was handed to, a `partial` with the rate.
        found.line = sheet.lines.handed_on("dropout") or found.line
    if reading and _scaled_wrong(reading, rate, found.asked):
        asked = found.asked if found.asked is not None else reading.dropped
        values = {"actual": reading.factor, "rate": asked, "wanted": 1 / (1 - min(asked, 0.99))}
        sheet.set("dropout", "fail", say("dropout-scale", **values))
        sheet.blame("dropout-rate-wrong", found.next or found.line, "dropout-scale", **values)
        return
    if found.undone:
        whole = found.undone == "whole"
        sheet.set("dropout", "fail", say("dropout-undone" if whole else "dropout-otherwise"))
        if whole:
            sheet.blame("dropout-undone", found.next)
        return
    wrong_rate = found.asked is not None and abs(rate - found.asked) > SAME_RATE
    if found.asked is None and rate > _MOST:
        # A keep probability taken for a rate, most often.
        wrong_rate, found.asked = True, 1 - rate
    unlikely = reading is not None and not reading.agrees(rate)
    if wrong_rate or unlikely:
        actual = reading.dropped if reading and not wrong_rate else rate
        asked = found.asked if found.asked is not None else rate
        sheet.set("dropout", "fail", say("dropout-rate-wrong", actual=actual, asked=asked))
        sheet.blame("dropout-rate-wrong", found.line, actual=actual, asked=asked)
        return
    key = "dropout-pass" if found.place == "weights" else "dropout-beside"
    sheet.set("dropout", "pass", say(key, rate=rate), reading.count if reading else 0)


def _shared(sheet: Sheet, found: DropoutFinding) -> bool:
    """Say what is dropped together, if something is. Return whether it is."""
    tree, reading = sheet.source.tree, found.reading
    # What drops all does so at every call.
    if found.kept and found.rate < 1:
        key, line = "dropout-along-call", call_line(tree, _SEEDING)
    elif reading and reading.together:
        some = reading.together == "some"
        key = "dropout-shared" if some else f"dropout-along-{reading.together}"
        # A layer that drops whole channels is told to where it is made, a vmap where it is called.
        line = call_line(tree, _WHOLE) or keyword_line(tree, "randomness", "same")
    else:
        return False
    sheet.set("dropout", "fail", say(key))
    sheet.blame("dropout-shared", line or found.line, key)
    return True


def _called_at(sheet: Sheet, line: int | None) -> bool:
    """Whether a line calls something that has dropout in its name."""
    tree = sheet.source.tree
    return any(one.lineno == line and "drop" in ast.unparse(one.func) for one in calls(tree))


def _scaled_wrong(reading: Reading, rate: float, asked: float | None) -> bool:
    """Whether what is kept grows by a factor of no rate, or of another than is dropped as asked.

    asked: None where any rate is right.
    """
    if 0 < reading.factor < 1 + _UNSCALED:
        return reading.dropped > 0 or reading.factor < 1 - _UNSCALED
    as_asked = asked is None or reading.agrees(asked)
    return reading.factor != 0 and as_asked and not reading.agrees(rate)
