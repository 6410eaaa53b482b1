"""From what was found to what is said: checks, diagnosis, remarks and the verdict."""

from __future__ import annotations

import ast
import math
from typing import Any

import torch
from torch import Tensor

from ..kata.catalogue import Kata
from .behaviour import DropoutFinding, Trace, forbidden
from .bind import Size
from .cases import Case
from .diagnose import Named
from .evidence import patterns, state_line
from .examine import Examination
from .fitting import Unbound
from .masks import form_name
from .messages import say
from .report import CHECK_IDS, Check, Diagnosis, Difference, Remark, Report
from .source import Source
from .trials import Finding
from .vocabulary import layer_role

__all__ = ["Verdict"]

_AFTER_VALUES = ("mask", "gradients", "dropout", "dtypes", "stability", "lengths", "causality")
_ROLE_NAMES = {"q": "query", "k": "key", "v": "value", "o": "output"}


class Verdict:
    """Fills a report. One instance a file."""

    def __init__(self, report: Report, kata: Kata, source: Source, language: str) -> None:
        self.report = report
        self.kata = kata
        self.source = source
        self.language = language
        self.checks: dict[str, Check] = {}

    def say(self, key: str, **values: object) -> str:
        """A sentence in the report's language."""
        return say(key, self.language, **values)

    def set(self, name: str, status: str, detail: str = "", cases: int = 0) -> None:
        """Record a check's outcome; a failure stays one."""
        old = self.checks.get(name)
        if old is not None and old.status == "fail":
            return
        self.checks[name] = Check(id=name, status=status, detail=detail, cases=cases)

    def blame(self, mistake: str, line: int | None = None, key: str = "", **values: object) -> None:
        """Add a diagnosis, once."""
        if any(d.mistake == mistake and d.line == line for d in self.report.diagnosis):
            return
        message = self.say(key or mistake, **values)
        yours = self.source.line(line).strip() or None
        self.report.diagnosis.append(
            Diagnosis(mistake=mistake, line=line, message=message, yours=yours)
        )

    def remark(self, ident: str, line: int | None = None, key: str = "", **values: object) -> None:
        """Add a remark, once."""
        if any(r.id == ident for r in self.report.remarks):
            return
        message = self.say(key or ident, **values)
        self.report.remarks.append(Remark(id=ident, line=line, message=message))

    # -- one method a check ----------------------------------------------------------

    def rules(self, seen: Trace, imports: int | None) -> None:
        """No fused attention, and not our own answer."""
        call = forbidden(seen)
        if imports is not None:
            call = ("attn_kata", imports)
        if call is None:
            self.set("rules", "pass", self.say("rules-pass"))
            return
        name, line = call
        line = line or self._line_naming(name.rpartition(".")[2])
        message = self.say("forbidden-call", call=f"`{name}`")
        self.set("rules", "fail", message)
        self.blame("forbidden-call", line, call=f"`{name}`")

    def wrong_shape(self, unbound: Unbound) -> None:
        """The class runs and gives a tensor of another shape than asked, however it is called."""
        answer, size = unbound.best["answer"], unbound.size
        cross = self.kata.contract.source == "cross"
        plain = Case(check="shape", batch=2, queries=5, keys=7 if cross else 5)
        case = f"{plain.label(self.language)}, hidden_dim {size.hidden}"
        expected = [2, 5, size.hidden]
        actual = list(answer["out"].shape)
        text = self.say("fail-shape", case=case, actual=tuple(actual), expected=tuple(expected))
        self.set("shape", "fail", text, 1)
        self.report.difference = Difference(
            case=case, axes=["batch", "length", "hidden_dim"], expected_shape=expected,
            actual_shape=actual,
        )  # fmt: skip
        for name in CHECK_IDS:
            if name != "shape":
                self.set(name, "skip", self.say("waits", check="shape"))
        self.finish()

    def parameters(self, examination: Examination) -> None:
        """Every weight is found, registered, and does what its name says."""
        fitted = examination.fitted
        shown = fitted.shown
        hidden = sorted(shown["hidden"])
        name = self.report.object or ""
        if not shown["modules"]:
            self.set("parameters", "fail", self.say("fail-not-module", name=name))
            self.blame("parameters-not-registered", None, "fail-not-module", name=name)
        elif hidden:
            names = ", ".join(f"`{n}`" for n in hidden[:3]) + (" …" if len(hidden) > 3 else "")
            line = self._assignment(hidden[0].split(".")[0])
            self.set("parameters", "fail", self.say("fail-unregistered", names=names))
            self.blame("parameters-not-registered", line, names=names)
        elif not fitted.aligned:
            key = "fail-roles"
            self.set("parameters", "skip", self.say(key))
        else:
            self._names_hold(examination)
            count = len(shown["registered"])
            self.set("parameters", "pass", self.say("parameters-pass", count=count), count)

    def _names_hold(self, examination: Examination) -> None:
        roles = examination.fitted.roles(examination.fitted.base)
        if roles is None:
            return
        does: dict[str, set[str]] = {}
        for role in ("q", "k", "v", "o"):
            for name in roles.parameters_of(role):
                does.setdefault(name, set()).add(role)
        for name, found in does.items():
            said = layer_role(name)
            if said in {"q", "k", "v"} and len(found) == 1 and said not in found:
                role = found.pop()
                layer = name.rpartition(".")[0] or name
                values = {"name": layer, "said": _ROLE_NAMES[said], "does": _ROLE_NAMES[role]}
                message = self.say("query-key-swapped", **values)
                self.set("parameters", "fail", message)
                self.blame("query-key-swapped", self._use(layer), "query-key-swapped", **values)

    def structure(self, examination: Examination) -> None:
        """Fused where it must be, an output projection where it must be."""
        contract = self.kata.contract
        fitted = examination.fitted
        roles = fitted.roles(fitted.base)
        if not fitted.aligned or roles is None:
            self.set("structure", "skip", self.say("waits", check="values"))
            return
        if contract.fused:
            owners = roles.parameters_of("q") | roles.parameters_of("k") | roles.parameters_of("v")
            if len(owners) > 1:
                self.set("structure", "fail", self.say("not-fused"))
                lines = [self._assignment(name.split(".")[0]) for name in owners]
                self.blame("not-fused", min((n for n in lines if n is not None), default=None))
        if contract.output == "required" and roles.o is None:
            self.set("structure", "fail", self.say("output-projection-missing"))
            unused = sorted(n for n in examination.unused if n.endswith("weight"))
            line = self._assignment(unused[0].split(".")[0]) if unused else self._last_return()
            self.blame("projection-unused" if unused else "output-projection-missing", line,
                       "output-projection-missing")  # fmt: skip
        idle = sorted(n for n in examination.unused if n.endswith("weight") and layer_role(n))
        if idle and roles.o is None and contract.output != "required":
            layer = idle[0].rpartition(".")[0] or idle[0]
            self.set("structure", "fail", self.say("projection-unused"))
            self.blame("projection-unused", self._assignment(layer.split(".")[-1]))
        if contract.output == "extra" and roles.o is not None:
            name = sorted(roles.parameters_of("o"))[0].split(".")[0]
            self.remark("output-projection-extra", self._assignment(name))
        self.set("structure", "pass", self.say("structure-pass"))

    def outputs(self, examination: Examination) -> None:
        """Shape, values, mask, lengths, stability and gradients from the grid's findings."""
        found = examination.findings
        shape = [f for group in found.values() for f in group if f.kind in {"shape", "none"}]
        first = min(shape, key=lambda f: f.trial.weight) if shape else None
        if first is not None:
            self.set("shape", "fail", self._finding_text(first))
            self._show(first)
        else:
            self.set("shape", "pass", self.say("shape-pass"))
        for size, fault in examination.misfits.items():
            self._misfit(size, fault)
        for name in ("values", "mask", "lengths", "stability", "gradients"):
            self._group(name, examination)

    def _misfit(self, size: Size, fault: dict[str, Any] | None) -> None:
        sizes = f"hidden_dim {size.hidden}, heads {size.heads}"
        if fault is None:
            self.set("values", "fail", self.say("fail-roles-at", sizes=sizes))
            return
        reason = fault["message"].split("\n")[0]
        values = {"kind": fault["type"], "line": fault["line"], "reason": reason}
        self.set("values", "fail", self.say("fail-raised", case=sizes, **values))

    def _group(self, name: str, examination: Examination) -> None:
        cases = examination.counts.get(name, 0)
        findings = examination.findings.get(name, [])
        if findings:
            smallest = min(findings, key=lambda f: f.trial.weight)
            text = self._finding_text(smallest)
            if smallest.kind == "values":
                text = self.say(
                    "fail-values", failed=len(findings), cases=cases, case=smallest.trial.label(self.language)
                )
            self.set(name, "fail", text, cases)
            if self.report.difference is None:
                self._show(smallest)
        elif cases:
            self.set(name, "pass", self._passed(name, examination), cases)
        else:
            self.set(name, "skip", self.say("not-asked"))

    def _passed(self, name: str, examination: Examination) -> str:
        sizes = examination.sizes
        widths = ", ".join(str(size.hidden) for size in sizes)
        heads = ", ".join(str(size.heads) for size in sizes)
        many = self.kata.contract.heads == "many"
        lengths = ", ".join(str(n) for n in sorted(examination.lengths))
        dtypes = ", ".join(_short(d) for d in examination.mask_dtypes)
        forms = " ".join(form_name(form) for form in examination.forms)
        return {
            "values": self.say(
                "values-pass" if many else "values-pass-one", widths=widths, heads=heads
            ),
            "mask": self.say("mask-pass", forms=forms, dtypes=dtypes, kinds=self.say("mask-kinds")),
            "lengths": self.say("lengths-pass", lengths=lengths),
            "stability": self.say("stability-pass"),
            "gradients": self.say("gradients-pass"),
        }[name]

    def masks(self, examination: Examination) -> None:
        """A kata with a mask needs an argument for it; other forms earn a remark."""
        contract = self.kata.contract
        if not contract.masks:
            self.set("mask", "skip", self.say("not-asked"))
            return
        if examination.fitted.binding.forward.mask is None:
            wanted = contract.forward[-1].split("=")[0]
            text = self.say("fail-no-mask", kata=self.kata.id, wanted=wanted)
            self.set("mask", "fail", text)
            self.blame("mask-ignored", None, "fail-no-mask", kata=self.kata.id, wanted=wanted)
            return
        if examination.dropped_forms or examination.dropped_dtypes:
            self.remark(
                "mask-form",
                self._line_naming(examination.fitted.binding.forward.mask),
                forms=" ".join(form_name(form) for form in examination.forms),
                dtypes=", ".join(_short(d) for d in examination.mask_dtypes),
                wanted=" ".join(form_name(form) for form in contract.masks),
            )

    def dropout(self, found: DropoutFinding | None, modules: list[list[str]]) -> None:
        """Dropout on the weights, after softmax, scaled, at the rate asked for, off in eval."""
        contract = self.kata.contract
        if found is None or found.place == "unread":
            self.set("dropout", "skip", self.say("waits", check="values"))
            return
        if found.place == "none":
            self._no_dropout(found, modules)
            return
        if found.place == "residual" and contract.dropout in {"optional", "remark"}:
            if contract.dropout == "remark":
                self.remark("dropout-not-applied")
            self.set("dropout", "pass", self.say("dropout-none"))
            return
        if found.place == "weights" and found.reading is not None:
            self._dropout_rate(found)
            return
        mistake = "dropout-before-softmax" if found.place == "scores" else "dropout-on-output"
        on_output = found.place in {"output", "residual"}
        places = ("the output", "输出") if on_output else ("another step", "别的步骤")
        where = places[0] if self.language == "en" else places[1]
        self.set("dropout", "fail", self.say(mistake, where=where))
        self.blame(mistake, found.line, where=where)

    def _no_dropout(self, found: DropoutFinding, modules: list[list[str]]) -> None:
        idle = [name for name, kind in modules if kind == "Dropout"]
        called = [entry for entry in found.calls]
        if self.kata.contract.dropout == "required":
            self.set("dropout", "fail", self.say("dropout-missing"))
            self.blame("dropout-missing", self._line_naming("softmax"))
            if idle and not called:
                line = self._assignment(idle[0].split(".")[-1])
                self.remark("dropout-unused", line, name=idle[0])
            return
        if idle and not called:
            self.remark("dropout-unused", self._assignment(idle[0].split(".")[-1]), name=idle[0])
        elif found.asked is not None and self._argument() is not None:
            self.remark("dropout-unused", None, name=self._argument() or "dropout")
        elif self.kata.contract.dropout == "remark":
            self.remark("dropout-not-applied")
        self.set("dropout", "pass", self.say("dropout-none"))

    def _argument(self) -> str | None:
        return "dropout" if self.kata.contract.dropout != "none" else None

    def _dropout_rate(self, found: DropoutFinding) -> None:
        reading = found.reading
        assert reading is not None
        rate = found.rate
        layer = next((c["module"] for c in found.calls if c["line"] == found.line), None)
        if layer:
            # The rate is set where the layer is made, not where it is called.
            found.line = self._assignment(layer.split(".")[-1]) or found.line
        if reading.factor and abs(reading.factor - 1) < 1e-3 and reading.dropped > 0:
            asked = found.asked if found.asked is not None else reading.dropped
            values = {"actual": reading.factor, "rate": asked, "wanted": 1 / (1 - min(asked, 0.99))}
            self.set("dropout", "fail", self.say("dropout-scale", **values))
            self.blame("dropout-rate-wrong", found.line, "dropout-scale", **values)
            return
        wrong_rate = found.asked is not None and abs(rate - found.asked) > 2e-3
        if wrong_rate or not reading.agrees(rate):
            actual = rate if wrong_rate else reading.dropped
            asked = found.asked if found.asked is not None else rate
            self.set("dropout", "fail", self.say("dropout-rate-wrong", actual=actual, asked=asked))
            self.blame("dropout-rate-wrong", found.line, actual=actual, asked=asked)
            return
        self.set("dropout", "pass", self.say("dropout-pass", rate=rate), reading.count)

    def purity(self, examination: Examination, seen: Trace) -> None:
        """Inputs unchanged, equal calls give equal outputs, in eval and after other calls."""
        if examination.modified:
            names = ", ".join(sorted(examination.modified))
            self.set("purity", "fail", self.say("fail-modified", names=names))
            self.blame("input-modified", self._in_place(seen), names=names)
        if examination.state is not None:
            self.set("purity", "fail", self.say(examination.state))
            awake = [d for d in seen.dropouts if d["training"] and d["p"] > 0]
            if awake and examination.state == "fail-random":
                self.blame("dropout-in-eval", awake[0]["line"])
                self.set("dropout", "fail", self.say("dropout-in-eval"))
            else:
                line = state_line(self.source, self.report.object or "")
                self.blame("nondeterministic", line)
        self.set("purity", "pass", self.say("purity-pass"), examination.counts.get("purity", 0))

    def causality(self, examination: Examination) -> None:
        """What a prefix gives stays when the sequence grows."""
        if not self.kata.contract.causal:
            self.set("causality", "skip", self.say("not-asked"))
        elif examination.prefix is not None:
            self.set("causality", "fail", self.say("fail-causality", length=examination.prefix))
        else:
            cases = examination.counts.get("causality", 0)
            self.set("causality", "pass", self.say("causality-pass"), cases)

    def dtypes(self, examination: Examination) -> None:
        """float64 and the lower precisions run and stay within their bounds."""
        cases = examination.counts.get("dtypes", 0)
        fault = examination.fitted.double_fault
        if fault is not None:
            self._dtype_fault("float64", fault)
        for finding in examination.findings.get("dtypes", []):
            dtype = _dtype_of(finding)
            if finding.fault is not None:
                self._dtype_fault(_dtype_of(finding), finding.fault)
            elif finding.gap is not None:
                off, bound = finding.gap.worst, finding.trial.bound
                text = self.say("fail-dtype-values", dtype=_dtype_of(finding), off=off, bound=bound)
                self.set("dtypes", "fail", text, cases)
            else:
                text = self.say("fail-dtype", dtype=dtype, reason=self._finding_text(finding))
                self.set("dtypes", "fail", text, cases)
        if examination.narrowed is not None:
            work = _short(examination.fitted.work)
            values = {"dtype": work, "narrowed": examination.narrowed}
            self.set("dtypes", "fail", self.say("dtype-narrowed", **values))
            line = self._line_naming(".float()") or self._line_naming(examination.narrowed)
            self.blame("dtype-hardcoded", line, "dtype-narrowed", **values)
        skipped = {_short(d) for d in examination.skipped_dtypes}
        names = [n for n in ("float64", "float32", "bfloat16", "float16") if n not in skipped]
        self.set("dtypes", "pass", self.say("dtypes-pass", dtypes=", ".join(names)), cases)

    def _dtype_fault(self, dtype: str, fault: dict[str, Any]) -> None:
        reason = fault["message"].split("\n")[0]
        self.set("dtypes", "fail", self.say("fail-dtype", dtype=dtype, reason=reason))
        mismatch = any(w in reason for w in ("dtype", "scalar type", "Float", "Half", "Double"))
        if mismatch:
            self.blame("dtype-hardcoded", fault["line"], dtype=dtype, reason=reason)

    def device(self, faults: list[dict[str, Any]]) -> None:
        """Tensors made on the CPU, or left there, where the rest is on the GPU."""
        self.report.device = {"cuda": "simulated", "name": None}
        mixed = [f for f in faults if f["kind"] in {"made", "attribute"}]
        if not mixed:
            self.set("device", "pass", self.say("device-pass"))
            return
        fault = mixed[0]
        if fault["kind"] == "attribute":
            line = self._assignment(fault["name"]) or fault["line"]
            mistake = "mask-not-buffer"
        else:
            line, mistake = fault["line"], "device-hardcoded"
        reason = fault["fault"]["message"]
        self.set("device", "fail", self.say("fail-device", line=line, reason=reason))
        self.blame(mistake, line)

    def half_fill(self, examination: Examination, seen: Trace) -> None:
        """A finite fill that float16 cannot hold."""
        for fault in examination.half_faults[:1]:
            fill = self._fill_on(fault["line"]) or "the fill"
            self.remark("fill-overflows-half", fault["line"], fill=fill)
        for step in seen.steps:
            big = [n for n in step["numbers"] if 65504 < abs(n) < math.inf and abs(n) < 1e300]
            adaptive = any(abs(abs(n) - torch.finfo(torch.float64).max) < 1e290 for n in big)
            if big and not adaptive and step["line"]:
                self.remark("fill-overflows-half", step["line"], fill=f"{big[0]:g}")

    def _fill_on(self, line: int | None) -> str | None:
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Constant) and node.lineno == line:
                value = node.value
                if isinstance(value, str):
                    try:
                        value = float(value)
                    except ValueError:
                        continue
                if isinstance(value, (int, float)) and 65504 < abs(value) < math.inf:
                    return f"{-abs(value):g}"
        return None

    def notes(self, examination: Examination, seen: Trace) -> None:
        """Remarks that need nothing but what was seen."""
        shown = examination.fitted.shown
        if shown["printed"]:
            self.remark("prints", shown["printed"][0])
        if shown["answer"]["container"] is not None:
            place = shown["answer"].get("place", 0)
            key = "returns-tuple" if place == 0 else "returns-tuple-later"
            self.remark("returns-tuple", self._last_return(), key, place=place + 1)
        if examination.nan_rows:
            line = next((s["line"] for s in seen.steps if -math.inf in s["numbers"]), None)
            self.remark("nan-on-empty-row", line or self._line_naming("inf"))
        unused = sorted(n for n in examination.unused if n in shown["registered"])
        if unused and examination.fitted.aligned:
            name = unused[0].rpartition(".")[0] or unused[0]
            self.remark("parameter-unused", self._assignment(name.split(".")[-1]), name=name)

    def finish(self) -> None:
        """Order the checks, hold back what waits for values, and set the verdict."""
        values = self.checks.get("values")
        if values is not None and values.status == "fail":
            for name in _AFTER_VALUES:
                check = self.checks.get(name)
                blamed = name == "dropout" and check is not None and check.status == "fail"
                if check is not None and check.detail != self.say("not-asked") and not blamed:
                    waits = self.say("waits", check="values")
                    self.checks[name] = Check(id=name, status="skip", detail=waits)
        mask = self.checks.get("mask")
        if mask is not None and mask.status == "fail":
            for name in ("gradients", "dtypes", "stability"):
                waits = self.say("waits", check="mask")
                self.checks[name] = Check(id=name, status="skip", detail=waits)
        for name in CHECK_IDS:
            if name not in self.checks:
                self.checks[name] = Check(id=name, status="skip", detail="")
        self.report.checks = [self.checks[name] for name in CHECK_IDS]
        failed = any(check.status == "fail" for check in self.report.checks)
        self.report.verdict = "fail" if failed else "pass"

    def name(self, found: list[Named]) -> None:
        """Put the mistakes that reproduce the numbers first."""
        for one in found:
            one.line = self._triangle(one.mistake.id) or one.line
        named = [
            Diagnosis(
                mistake=one.mistake.id,
                line=one.line,
                message=one.mistake.words[self.language],
                reference=one.reference,
                yours=self.source.line(one.line).strip() or None,
            )
            for one in found
        ]
        own = {one.mistake for one in named}
        rest = [d for d in self.report.diagnosis if d.mistake not in own]
        if named:
            rest = [d for d in rest if d.mistake not in {"dropout-on-output"}]
        self.report.diagnosis = named + rest

    def guess(self, examination: Examination) -> None:
        """Where no edited reference fits: what the failing cases and the source give away."""
        for mistake, line in patterns(examination, self.source, self.report.object or ""):
            if not any(d.mistake == mistake for d in self.report.diagnosis):
                self.blame(mistake, line, names=self.say("its-weights"), name=self.say("it"))

    # -- words and lines ---------------------------------------------------------------

    def _finding_text(self, finding: Finding) -> str:
        case = finding.trial.label(self.language)
        if finding.kind == "raised" and finding.fault is not None:
            fault = finding.fault
            return self.say(
                "fail-raised", case=case, kind=fault["type"], line=fault["line"],
                reason=fault["message"].split("\n")[0],
            )  # fmt: skip
        if finding.kind == "none":
            return self.say("returns-nothing", kind=finding.name)
        if finding.kind == "shape" and finding.actual is not None:
            return self.say(
                "fail-shape", case=case, actual=tuple(finding.actual.shape),
                expected=tuple(finding.trial.expected.shape),
            )  # fmt: skip
        if finding.kind == "detached":
                return self.say("fail-detached", name=finding.name, case=case)
        if finding.kind == "gradient" and finding.gap is not None:
            return self.say("fail-gradients", name=finding.name, off=finding.gap.worst, case=case)
        return self.say("fail-values", failed=1, cases=1, case=case)

    def _show(self, finding: Finding) -> None:
        trial = finding.trial
        expected = trial.expected
        many = [n for n in ("batch", "length", "hidden_dim")][: expected.dim()]
        difference = Difference(
            case=trial.label(self.language), axes=many, expected_shape=list(expected.shape), tolerance=trial.bound
        )
        if finding.actual is not None:
            difference.actual_shape = list(finding.actual.shape)
        if finding.gap is not None and finding.actual is not None:
            gap = finding.gap
            difference.max_abs, difference.max_rel = gap.max_abs, gap.max_rel
            difference.at, difference.wrong, difference.total = list(gap.at), gap.wrong, gap.total
            difference.tolerance = trial.bound * gap.scale
            if finding.actual.dim() == 3:
                sample = gap.at[0]
                difference.expected = _slice(expected[sample])
                difference.actual = _slice(finding.actual[sample])
        self.report.difference = difference

    def _own_class(self) -> ast.AST:
        return self.source.classes.get(self.report.object or "", self.source.tree)

    def _assignment(self, attribute: str) -> int | None:
        """The line on which `self.attribute` is set."""
        for tree in (self._own_class(), self.source.tree):
            for node in ast.walk(tree):
                if isinstance(node, (ast.Assign, ast.AnnAssign)):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    flat = [t for target in targets for t in ast.walk(target)]
                    if any(isinstance(t, ast.Attribute) and t.attr == attribute for t in flat):
                        return node.lineno
        return None

    def _use(self, attribute: str) -> int | None:
        """The line on which `self.attribute` is called or read, else the one that sets it."""
        leaf = attribute.split(".")[-1]
        for node in ast.walk(self._own_class()):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == leaf
                and isinstance(node.ctx, ast.Load)
            ):
                return node.lineno
        return self._assignment(leaf)

    def _triangle(self, mistake: str) -> int | None:
        """Where a causal mask is drawn with the wrong diagonal or on the wrong side."""
        wrong_side = {"causal-inverted": "triu"}
        off_by_one = {"causal-excludes-self", "causal-sees-next"}
        for node in ast.walk(self._own_class()):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name == wrong_side.get(mistake) or (mistake in off_by_one and name in {"tril", "triu"}):
                return node.lineno
        return None

    def _line_naming(self, word: str) -> int | None:
        """The first line of the class (else the file) that holds a word."""
        tree = self._own_class()
        first = getattr(tree, "lineno", 1)
        lines = self.source.text.splitlines()
        for number in [*range(first, len(lines) + 1), *range(1, first)]:
            if word in lines[number - 1]:
                return number
        return None

    def _last_return(self) -> int | None:
        lines = [n.lineno for n in ast.walk(self._own_class()) if isinstance(n, ast.Return)]
        return lines[-1] if lines else None

    def _in_place(self, seen: Trace) -> int | None:
        for step in seen.steps:
            if step["call"].startswith("__i") or (
                step["call"].endswith("_") and not step["call"].startswith("_")
            ):
                return step["line"]
        return None


def _dtype_of(finding: Finding) -> str:
    return _short(finding.trial.dtype)


def _slice(rows: Tensor) -> list[list[float]]:
    return [[float(v) for v in row[:6]] for row in rows[:4]]


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
