"""The dropout check: what is said of what train mode does."""

from __future__ import annotations

from ..kata.catalogue import Contract
from .dropout import Reading
from .dropout_trial import DropoutFinding
from .sheet import Sheet

__all__ = ["judge_dropout"]

# A rate that nobody asked for is taken as it is, up to here.
_MOST = 0.55


def judge_dropout(
    sheet: Sheet, contract: Contract, found: DropoutFinding | None, modules: list[list[str]]
) -> None:
    """Dropout on the weights, after softmax, scaled, at the rate asked for, off in eval.

    found: None where train mode could not be tried. modules: name and kind of each layer.
    """
    if found is None or found.place == "unread":
        sheet.set("dropout", "skip", sheet.say("waits", check="values"))
        return
    if found.place == "none":
        _no_dropout(sheet, contract, found, modules)
        return
    if found.place == "residual" and contract.dropout in {"optional", "remark"}:
        if contract.dropout == "remark":
            sheet.remark("dropout-not-applied")
        sheet.set("dropout", "pass", sheet.say("dropout-none"))
        return
    if found.place == "weights" and found.reading is not None:
        _rate(sheet, found, found.reading)
        return
    mistake = "dropout-before-softmax" if found.place == "scores" else "dropout-on-output"
    on_output = found.place in {"output", "residual"}
    where = sheet.say("place-output" if on_output else "place-elsewhere")
    sheet.set("dropout", "fail", sheet.say(mistake, where=where))
    sheet.blame(mistake, found.line, where=where)


def _no_dropout(
    sheet: Sheet, contract: Contract, found: DropoutFinding, modules: list[list[str]]
) -> None:
    idle = [name for name, kind in modules if kind == "Dropout"]
    if contract.dropout == "required":
        sheet.set("dropout", "fail", sheet.say("dropout-missing"))
        # One that is called and changes nothing has its result thrown away.
        thrown = found.calls[0]["line"] if found.calls else None
        sheet.blame("dropout-missing", thrown or sheet.lines.naming("softmax"))
        if idle and not found.calls:
            line = sheet.lines.assignment(idle[0].split(".")[-1])
            sheet.remark("dropout-unused", line, name=idle[0])
        return
    if idle and not found.calls:
        sheet.remark("dropout-unused", sheet.lines.assignment(idle[0].split(".")[-1]), name=idle[0])
    elif found.asked is not None and contract.dropout != "none":
        # Asked for and made nowhere: no dropout is there that could be called.
        line = sheet.lines.naming("dropout")
        sheet.remark("dropout-not-applied", line, "dropout-argument-ignored")
    elif contract.dropout == "remark":
        sheet.remark("dropout-not-applied")
    sheet.set("dropout", "pass", sheet.say("dropout-none"))


def _rate(sheet: Sheet, found: DropoutFinding, reading: Reading) -> None:
    rate = found.rate
    layer = next((c["module"] for c in found.calls if c["line"] == found.line), None)
    if layer:
        # The rate is set where the layer is made, not where it is called.
        found.line = sheet.lines.assignment(layer.split(".")[-1]) or found.line
    if reading.factor and abs(reading.factor - 1) < 1e-3 and reading.dropped > 0:
        asked = found.asked if found.asked is not None else reading.dropped
        values = {"actual": reading.factor, "rate": asked, "wanted": 1 / (1 - min(asked, 0.99))}
        sheet.set("dropout", "fail", sheet.say("dropout-scale", **values))
        sheet.blame("dropout-rate-wrong", found.line, "dropout-scale", **values)
        return
    wrong_rate = found.asked is not None and abs(rate - found.asked) > 2e-3
    if found.asked is None and rate > _MOST:
        # A keep probability taken for a rate, most often.
        wrong_rate, found.asked = True, 1 - rate
    if wrong_rate or not reading.agrees(rate):
        actual = rate if wrong_rate else reading.dropped
        asked = found.asked if found.asked is not None else rate
        sheet.set("dropout", "fail", sheet.say("dropout-rate-wrong", actual=actual, asked=asked))
        sheet.blame("dropout-rate-wrong", found.line, actual=actual, asked=asked)
        return
    sheet.set("dropout", "pass", sheet.say("dropout-pass", rate=rate), reading.count)
