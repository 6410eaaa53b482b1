"""The judge process: one submission in, one report out.

It never imports, unpickles or runs anything of the candidate's; it draws the weights
and inputs, and compares what comes back with the reference.
"""

from __future__ import annotations

import ast
import os
import re
import select
import socket
import threading
import time
import traceback
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from ..kata.catalogue import Kata, find
from . import wire
from .behaviour import Trace, pretend, trace, try_dropout
from .beneath import beneath
from .choose import choose
from .crashes import because, meant, misspelt_method
from .diagnose import diagnose, diagnose_training
from .direct import judge as direct
from .dropout_verdict import judge_dropout
from .evidence import crash
from .examine import Examination
from .fitting import Fitted, Unbound, bind
from .flow import follow
from .forms import choose_forms
from .halves import try_dtypes
from .heat import heat
from .limits import Limits
from .lines import own_imports
from .messages import say
from .origins import Origins
from .plan import Binding, Size
from .process import Candidate, Ended, Foul
from .report import Diagnosis, Fault, Report
from .source import Source, Unreadable, read
from .verdict import Verdict

__all__ = ["main"]

# How many ways to make and call a class are tried before its first is taken as meant.
_WAYS = 4


def main(jobs: socket.socket, requests: socket.socket) -> None:
    """Judge files until the command process goes away."""
    torch.set_num_threads(1)
    # What torch warns of here is an odd answer; the report says so.
    warnings.simplefilter("ignore")
    threading.Thread(target=_leave_when_dropped, args=(jobs,), daemon=True).start()
    while True:
        try:
            job = wire.receive(jobs)
        except wire.Closed:
            return
        started = time.monotonic()
        report = _Sitting(job, requests).report()
        report.elapsed_ms = round((time.monotonic() - started) * 1000)
        wire.send(jobs, report.to_dict())


def _leave_when_dropped(jobs: socket.socket) -> None:
    """End this process as soon as nobody waits for the report; its warden ends the candidate."""
    line = select.poll()
    line.register(jobs, select.POLLHUP | getattr(select, "POLLRDHUP", 0))
    line.poll()
    os._exit(0)


class _Unjudged(Exception):
    """The file cannot be judged; the report says why."""

    def __init__(self, kind: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.fault = Fault(kind=kind, message=message, line=line)
        self.diagnosis: list[Diagnosis] = []


class _Sitting:
    """The judging of one file.

    job: kata, file, class, mask, seed, language, timeout (seconds), memory (bytes),
    heat and diagnose (whether the weights, and the names of mistakes, are wanted).
    """

    def __init__(self, job: dict[str, Any], requests: socket.socket) -> None:
        self.job = job
        self.requests = requests
        self.language: str = job["language"]
        self.kata: Kata = find(job["kata"])
        self.phase = "load"
        self.result = Report(
            kata=self.kata.id,
            file=job["file"],
            verdict="error",
            seed=job["seed"],
            torch=str(torch.__version__),
        )

    def report(self) -> Report:
        """Judge the file; whatever happens, a report comes of it."""
        candidate = None
        try:
            limits = Limits(seconds=self.job["timeout"], memory=self.job["memory"])
            # It settles in while the file is read.
            candidate = Candidate(self.requests, limits, os.path.realpath(self.job["file"]))
            source = read(Path(self.job["file"]), self.language)
            try:
                self._judge(source, candidate)
            except Foul as foul:
                verdict = Verdict(self.result, self.kata, source, self.language)
                verdict.foul(foul.called, foul.line)
        except Unreadable as fault:
            self.result.error = Fault(kind=fault.kind, message=fault.message, line=fault.line)
        except _Unjudged as unjudged:
            self.result.error = unjudged.fault
            self.result.diagnosis = unjudged.diagnosis
        except Ended as ended:
            self.result.error = self._ended(ended)
        except Exception as fault:  # noqa: BLE001 - our own fault must not cost the other files
            self.result.error = self._own_fault(fault)
        finally:
            if candidate is not None:
                self.result.printed = candidate.close()
        if self.result.error is not None:
            self.result.verdict = "error"
        return self.result

    def _own_fault(self, fault: Exception) -> Fault:
        if os.environ.get("ATTN_KATA_DEBUG"):
            traceback.print_exc()
        place = traceback.extract_tb(fault.__traceback__)[-1]
        reason = f"{type(fault).__name__}: {fault}, {Path(place.filename).name}:{place.lineno}"
        return Fault(kind="crash", message=self._say("judge-fault", reason=reason))

    def _ended(self, ended: Ended) -> Fault:
        place = ended.place
        phase = self._say(f"phase-{place.phase or self.phase}")
        if place.line is not None:
            phase = self._say("at-line", phase=phase, line=place.line)
        key = f"ended-{ended.why or ended.kind}"
        if ended.why or ended.kind != "crash":
            values = {"seconds": self.job["timeout"], "memory": self.job["memory"] >> 20}
            message = self._say(key, phase=phase, **values)
        else:
            code = ended.code or 0
            how = self._say("exit-signal" if code < 0 else "exit-code", code=abs(code))
            message = self._say(key, phase=phase, how=how)
        return Fault(kind=ended.kind, message=message, line=place.line)

    def _judge(self, source: Source, candidate: Candidate) -> None:
        answer = self._load(source, candidate)
        if self.kata.kind != "class":
            self.phase = "run"
            self._judge_directly(source, candidate, answer["classes"])
            return
        entry, sizes = self._choose(source, answer)
        self.result.object = entry["name"]
        self.phase = "first"
        try:
            fitted = self._fit(candidate, entry, sizes)
        except Unbound as unbound:
            out = unbound.best.get("answer", {}).get("out")
            if not isinstance(out, torch.Tensor):
                raise self._unbound(unbound, source) from None
            verdict = Verdict(self.result, self.kata, source, self.language)
            verdict.wrong_shape(unbound)
            return
        self.phase = "run"
        self.result.roles = fitted.named_roles()
        self._try_all(source, fitted)

    def _fit(
        self,
        candidate: Candidate,
        entry: dict[str, Any],
        sizes: list[dict[str, Any]],
    ) -> Fitted:
        """Take the first way to make and call the class in which its weights make attention."""
        first: Fitted | None = None
        for bound in islice(bind(self.kata, candidate, entry, sizes), _WAYS):
            fitted = Fitted(self.kata, candidate, bound, self.job["seed"])
            fitted.align()
            if fitted.aligned:
                return fitted
            first = first or fitted
        assert first is not None
        return first

    def _judge_directly(
        self, source: Source, candidate: Candidate, classes: list[dict[str, Any]]
    ) -> None:
        try:
            direct.judge(self.kata, candidate, source, self.result, self.job, classes)
        except direct.Refused as refused:
            raise _Unjudged(refused.kind, refused.message, refused.line) from None

    def _load(self, source: Source, candidate: Candidate) -> dict[str, Any]:
        answer = candidate.ask(
            {
                "do": "load",
                "source": source.text,
                "path": candidate.path,
                "folder": str(Path(candidate.path).parent),
                "cells": source.cells,
            }
        )
        fault = answer["fault"]
        if fault is not None and (source.cells is None or not answer["classes"]):
            raise self._load_fault(fault, source)
        return answer

    def _choose(
        self, source: Source, answer: dict[str, Any]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        uses = {
            name: {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
            for name, tree in source.classes.items()
        }
        choice = choose(self.kata, answer["classes"], self.job["class"], uses)
        if choice.chosen is None:
            raise self._no_class(choice.candidates, source)
        if choice.chosen["forward"] is None:
            name = choice.chosen["name"]
            self.result.object = name
            raise _Unjudged("forward", self._say("forward-missing", name=name))
        return choice.chosen, answer["sizes"]

    def _load_fault(self, fault: dict[str, Any], source: Source) -> _Unjudged:
        line, reason = fault["line"], fault["message"].split("\n")[0]
        missing = re.match(r"No module named '([^']+)'", reason)
        if missing and "ImportError" in fault["kinds"]:
            message = self._say("load-import", line=line, name=missing[1])
            return _Unjudged("load", message, line)
        intended = meant(reason, source)
        if intended is not None:
            message = self._say("load-misspelt", line=line, reason=reason, meant=intended)
            return _Unjudged("load", message, line)
        message = self._say("load-raised", line=line, kind=fault["type"], reason=reason)
        return _Unjudged("load", message + because(fault, source, self.language), line)

    def _no_class(self, candidates: tuple[dict[str, Any], ...], source: Source) -> _Unjudged:
        found = ", ".join(f"{entry['name']} ({entry['line']})" for entry in candidates)
        wanted = self.job["class"]
        if wanted is not None:
            found = found or "-"
            return _Unjudged("no-class", self._say("no-class-named", name=wanted, found=found))
        if candidates:
            return _Unjudged("no-class", self._say("class-unclear", found=found))
        functions = [n for n in source.tree.body if isinstance(n, ast.FunctionDef)]
        if functions and not source.classes:
            found = ", ".join(f"`{node.name}` ({node.lineno})" for node in functions)
            message = self._say("class-not-function", wanted=self.kata.class_name, found=found)
            return _Unjudged("no-class", message, functions[0].lineno)
        message = self._say("no-class", kata=self.kata.id, wanted=self.kata.class_name)
        return _Unjudged("no-class", message)

    def _unbound(self, unbound: Unbound, source: Source) -> _Unjudged:
        best = unbound.best
        kind = "construct" if best["phase"] == "construct" else "forward"
        fault = best.get("fault")
        misspelt = misspelt_method(source, self.result.object)
        if misspelt is not None:
            line, name, right = misspelt
            return _Unjudged(
                kind, self._say("init-misspelt", line=line, name=name, meant=right), line
            )
        if fault is None:
            return self._odd_result(best)
        line, reason = fault["line"], fault["message"].split("\n")[0] or fault["type"]
        if "NotImplementedError" in fault["kinds"]:
            return _Unjudged(kind, self._say("unwritten", line=line), line)
        intended = meant(reason, source)
        if intended is not None:
            message = self._say("load-misspelt", line=line, reason=reason, meant=intended)
            return _Unjudged(kind, message, line)
        if kind == "construct":
            given = _given(unbound.binding, unbound.size)
            message = self._say(
                "construct-raised", name=self.result.object, given=given, kind=fault["type"],
                line=line, reason=reason,
            )  # fmt: skip
        else:
            call = f"forward({', '.join(n for n, _ in unbound.binding.forward.sources)})"
            message = self._say(
                "forward-raised", call=call, kind=fault["type"], line=line, reason=reason
            )
        known = crash(fault, self.kata) if kind == "forward" else None
        message += because(fault, source, self.language, cause=known is None)
        unjudged = _Unjudged(kind, message, line)
        if known is not None:
            if known == "length-fixed" and line is not None:
                line = Origins(source, self.result.object or "").size([line]) or line
            words = self._say(known, dtype="float32", reason=reason)
            yours = source.line(line).strip() or None
            unjudged.diagnosis = [Diagnosis(mistake=known, line=line, message=words, yours=yours)]
        return unjudged

    def _odd_result(self, best: dict[str, Any]) -> _Unjudged:
        answer = best["answer"]
        return _Unjudged("forward", self._say("returns-nothing", kind=answer["container"]))

    def _try_all(self, source: Source, fitted: Fitted) -> None:
        verdict = Verdict(self.result, self.kata, source, self.language)
        examination = Examination(self.kata, fitted, self.job["mask"])
        ready = examination.prepare(examination.sizes)
        choose_forms(examination, ready)
        verdict.masks(examination)
        examination.try_grid(ready)
        found = None
        if ready:
            examination.try_purity(ready)
            try_dtypes(examination, ready)
            if fitted.aligned and not examination.findings.get("values"):
                found = try_dropout(examination)
                if found is not None and not found.by_hand_at_a_fixed_rate:
                    examination.try_training()
        seen = trace(examination)
        verdict.rules(seen, own_imports(source))
        verdict.parameters(examination, seen)
        verdict.structure(examination)
        verdict.outputs(examination)
        verdict.purity(examination, seen)
        verdict.causality(examination)
        judge_dropout(verdict, self.kata.contract, found, fitted.shown["modules"])
        verdict.dtypes(examination)
        verdict.notes(examination, seen)
        verdict.half_fill(examination, seen)
        if fitted.shapes(examination.sizes[0]):
            verdict.device(pretend(examination))
        verdict.finish()
        flow = follow(seen, examination)
        verdict.flow(flow)
        if self.job["heat"]:
            self.result.heat = heat(flow, self.language)
        if self.job["diagnose"]:
            self._diagnose(verdict, examination, seen)

    def _diagnose(self, verdict: Verdict, examination: Examination, seen: Trace) -> None:
        """Look for the mistake; whatever comes of it, the verdict stands."""
        try:
            self._search(verdict, examination, seen)
        except Foul:
            raise
        except Ended:
            # The submission ran out of its time meanwhile: what was found is said.
            pass
        except Exception:
            if os.environ.get("ATTN_KATA_DEBUG"):
                raise

    def _search(self, verdict: Verdict, examination: Examination, seen: Trace) -> None:
        wrong = {check.id for check in self.result.checks if check.status == "fail"}
        if wrong & {"values", "mask", "lengths"}:
            values_wrong = bool(wrong & {"values", "lengths"})
            found = diagnose(examination, verdict.origins, values_wrong=values_wrong)
            verdict.name(found.named)
            if found.swapped is not None:
                verdict.names_hold(found.swapped, seen)
            if found.explained is not None and values_wrong:
                verdict.further(beneath(examination, found.explained))
        if not self.result.diagnosis and wrong & {"values", "mask", "gradients"}:
            verdict.name(diagnose_training(examination, verdict.origins))
        if wrong and not self.result.diagnosis:
            verdict.guess(examination, seen)

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)


def _given(binding: Binding, size: Size) -> str:
    recipe = binding.recipe(size)
    parts = [f"{name}={_plain(value)}" for name, value in recipe["kwargs"].items()]
    return ", ".join([*(_plain(value) for value in recipe["args"]), *parts])


def _plain(value: object) -> str:
    return "…" if isinstance(value, dict) else str(value)
