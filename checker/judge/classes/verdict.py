"""From what was found to what is said: checks, diagnosis, remarks and the verdict."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from ...diagnose.classes.flow import Flow
from ...diagnose.crashes import raised
from ...diagnose.giveaways import cut_line, state_line
from ...diagnose.lines import HALF_MAX, in_place
from ...process.wire import dtype_name
from ...report.report import CHECK_IDS, Difference
from ...vocabulary import layer_role
from .attempts import Unbound
from .behaviour import Trace, forbidden, narrowing
from .cases import Case
from .examine import Examination
from .masks import form_name
from .naming import Blame
from .plan import Size

__all__ = ["Verdict"]


class Verdict(Blame):
    """Fills a report, one method a check. One instance a file."""

    def rules(self, seen: Trace, imports: int | None) -> None:
        """No fused attention, and not our own answer."""
        call = forbidden(seen) if imports is None else ("attn_kata", imports)
        if call is None:
            self.set("rules", "pass", self.say("rules-pass"))
        else:
            self._forbid(*call)

    def _forbid(self, name: str, line: int | None) -> None:
        module = name.rpartition(".")[2] if name.startswith("nn.") else ""
        # A layer is chosen where it is made, not where it is called.
        made = self.lines.naming(f"{module}(") if module else None
        line = made or line or self.lines.naming(name.rpartition(".")[2])
        message = self.say("forbidden-call", call=f"`{name}`")
        self.set("rules", "fail", message)
        self.blame("forbidden-call", line, call=f"`{name}`")

    def foul(self, called: str, line: int | None) -> None:
        """It reached for what does the whole job; nothing else is judged."""
        self._forbid(called, line)
        for name in CHECK_IDS:
            if name != "rules":
                self.set(name, "skip", self.say("waits", check="rules"))
        self.finish()

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

    def flow(self, flow: Flow) -> None:
        """The steps of one small call, and where a wrong one departs; after `finish`."""
        wrong = self.report.verdict == "fail"
        self.report.departure = flow.departure(self.language) if wrong else None
        if self.report.departure is None:
            flow.missing = None
        self.report.trace = flow.steps()

    def parameters(self, examination: Examination, seen: Trace) -> None:
        """Every weight is found, registered, and does what its name says."""
        fitted = examination.fitted
        shown = fitted.shown
        hidden = sorted(shown["hidden"])
        name = self.report.object or ""
        if not shown["modules"]:
            self.set("parameters", "fail", self.say("fail-not-module", name=name))
            line = getattr(self.lines.own, "lineno", None)
            self.blame("parameters-not-registered", line, "fail-not-module", name=name)
        elif hidden:
            names = ", ".join(f"`{n}`" for n in hidden[:3]) + (" …" if len(hidden) > 3 else "")
            lines = [self.lines.assignment(n.split(".")[0]) for n in hidden]
            line = min((n for n in lines if n is not None), default=None)
            self.set("parameters", "fail", self.say("fail-unregistered", names=names))
            self.blame("parameters-not-registered", line, names=names)
        elif not fitted.aligned:
            key = "fail-roles"
            self.set("parameters", "skip", self.say(key))
        else:
            roles = fitted.roles(fitted.base)
            if roles is not None:
                self.names_hold(roles, seen)
            count = len(shown["registered"])
            self.set("parameters", "pass", self.say("parameters-pass", count=count), count)

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
                lines = [self.lines.assignment(name.split(".")[0]) for name in owners]
                self.blame("not-fused", min((n for n in lines if n is not None), default=None))
        if contract.output == "required" and roles.o is None:
            self.set("structure", "fail", self.say("output-projection-missing"))
            unused = sorted(n for n in examination.unused if n.endswith("weight"))
            line = (
                self.lines.assignment(unused[0].split(".")[0])
                if unused
                else self.lines.last_return()
            )
            self.blame("projection-unused" if unused else "output-projection-missing", line,
                       "output-projection-missing")  # fmt: skip
        idle = sorted(n for n in examination.unused if n.endswith("weight") and layer_role(n))
        cut = cut_line(self.lines.own)
        if idle and cut is not None:
            self.blame("detached", cut, name=self.say("it"))
        elif idle and roles.o is None and contract.output != "required":
            layer = idle[0].rpartition(".")[0] or idle[0]
            self.set("structure", "fail", self.say("projection-unused"))
            self.blame("projection-unused", self.lines.assignment(layer.split(".")[-1]))
        if contract.output == "extra" and roles.o is not None:
            name = min(roles.parameters_of("o")).split(".")[0]
            self.remark("output-projection-extra", self.lines.assignment(name))
        self.set("structure", "pass", self.say("structure-pass"))

    def outputs(self, examination: Examination) -> None:
        """Shape, values, mask, lengths, stability and gradients from the grid's findings."""
        found = examination.findings
        shape = [f for group in found.values() for f in group if f.kind in {"shape", "none"}]
        first = min(shape, key=lambda f: f.trial.weight) if shape else None
        if first is not None:
            self.set("shape", "fail", self.finding_text(first))
            self.show(first)
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
        self.set("values", "fail", raised(fault, sizes, self.language))
        self.crashed("values", fault, sizes)

    def _group(self, name: str, examination: Examination) -> None:
        cases = examination.counts.get(name, 0)
        findings = examination.findings.get(name, [])
        if findings:
            smallest = min(findings, key=lambda f: f.trial.weight)
            text = self.finding_text(smallest)
            if smallest.kind == "values":
                text = self.say(
                    "fail-values",
                    failed=len(findings),
                    cases=cases,
                    case=smallest.trial.label(self.language),
                )
            self.set(name, "fail", text, cases)
            if smallest.fault is not None:
                self.crashed(name, smallest.fault, smallest.trial.label(self.language))
            if self.report.difference is None:
                self.show(smallest)
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
        dtypes = ", ".join(dtype_name(d) for d in examination.mask_dtypes)
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
        self._without_mask(examination)
        if examination.dropped_forms or examination.dropped_dtypes:
            self.remark(
                "mask-form",
                self.lines.naming(examination.fitted.binding.forward.mask),
                forms=" ".join(form_name(form) for form in examination.forms),
                dtypes=", ".join(dtype_name(d) for d in examination.mask_dtypes),
                wanted=" ".join(form_name(form) for form in contract.masks),
            )

    def _without_mask(self, examination: Examination) -> None:
        """Code is called without a mask too; one that it cannot do without earns a remark."""
        fitted = examination.fitted
        plan, without = fitted.binding.forward, fitted.bound.without
        name = plan.mask or ""
        fault = without.get("fault") if without is not None else None
        if not plan.optional and (without is None or fault is not None):
            key = "mask-always-needed" if fault is not None else ""
            self.remark("mask-without-default", self.lines.argument(name), key, name=name)
        elif without is not None:
            answer = without.get("answer", {})
            kind = "raised" if fault is not None else "none"
            if isinstance(answer.get("out"), Tensor):
                kind = "values" if without["fits"] else "shape"
            self.needs_mask(name, "forward", kind, fault, self.lines.forward())

    def purity(self, examination: Examination, seen: Trace) -> None:
        """Inputs unchanged, equal calls give equal outputs, in eval and after other calls."""
        if examination.modified:
            names = ", ".join(sorted(examination.modified))
            self.set("purity", "fail", self.say("fail-modified", names=names))
            self.blame("input-modified", in_place(seen.steps), names=names)
        if examination.state is not None:
            self.set("purity", "fail", self.say(examination.state))
            awake = [d for d in seen.dropouts if d["training"] and d["p"] > 0]
            if awake and examination.state == "fail-random":
                line = awake[0]["line"]
                made = self.origins.layer([line], "dropout") if line else None
                self.blame("dropout-in-eval", made or line)
                self.set("dropout", "fail", self.say("dropout-in-eval"))
            else:
                line = state_line(self.source, self.report.object or "")
                kept = examination.state == "fail-kept"
                self.blame("nondeterministic", line, "fail-kept" if kept else "")
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
            self._dtype_fault(torch.float64, fault, examination, "float64")
        for finding in examination.findings.get("dtypes", []):
            dtype = self.dtype_of(finding)
            if finding.fault is not None:
                self._dtype_fault(finding.trial.dtype, finding.fault, examination, dtype)
            elif finding.gap is not None:
                off, bound = finding.gap.worst, finding.trial.bound
                text = self.say("fail-dtype-values", dtype=dtype, off=off, bound=bound)
                self.set("dtypes", "fail", text, cases)
            else:
                text = self.say("fail-dtype", dtype=dtype, reason=self.finding_text(finding))
                self.set("dtypes", "fail", text, cases)
        if examination.narrowed is not None:
            work = dtype_name(examination.fitted.work)
            values = {"dtype": work, "narrowed": examination.narrowed}
            self.set("dtypes", "fail", self.say("dtype-narrowed", **values))
            line = narrowing(examination, examination.fitted.work)
            self.blame("dtype-hardcoded", line, "dtype-narrowed", **values)
        skipped = {dtype_name(d) for d in examination.skipped_dtypes}
        names = [n for n in ("float64", "float32", "bfloat16", "float16") if n not in skipped]
        names += ["autocast"] * examination.autocast
        self.set("dtypes", "pass", self.say("dtypes-pass", dtypes=", ".join(names)), cases)

    def _dtype_fault(
        self, dtype: torch.dtype, fault: dict[str, Any], examination: Examination, name: str
    ) -> None:
        reason = fault["message"].split("\n")[0]
        self.set("dtypes", "fail", self.say("fail-dtype", dtype=name, reason=reason))
        self.crashed("dtypes", fault, name)
        mismatch = any(w in reason for w in ("dtype", "scalar type", "Float", "Half", "Double"))
        # NumPy has no bfloat16; that is no dtype that is fixed.
        mismatch = mismatch and "unsupported ScalarType" not in reason
        if mismatch and not self.blames("dtype-hardcoded"):
            line = narrowing(examination, dtype) or fault["line"]
            self.blame("dtype-hardcoded", line, dtype=name, reason=reason)

    def half_fill(self, examination: Examination, seen: Trace) -> None:
        """A finite fill that float16 cannot hold."""
        for fault in examination.half_faults[:1]:
            fill = self.lines.fill_on(fault["line"]) or "the fill"
            self.remark("fill-overflows-half", fault["line"], fill=fill)
        for step in seen.steps:
            big = [n for n in step["numbers"] if HALF_MAX < abs(n) < math.inf and abs(n) < 1e300]
            adaptive = any(abs(abs(n) - torch.finfo(torch.float64).max) < 1e290 for n in big)
            if big and not adaptive and step["line"]:
                self.remark("fill-overflows-half", step["line"], fill=f"{big[0]:g}")

    def notes(self, examination: Examination, seen: Trace) -> None:
        """Remarks that need nothing but what was seen."""
        shown = examination.fitted.shown
        unasked = examination.fitted.binding.forward.unasked
        if unasked:
            names = ", ".join(f"`{name}`" for name in unasked)
            self.remark("argument-unknown", self.lines.argument(unasked[0]), names=names)
        switched = examination.fitted.binding.switched
        if switched:
            name = switched[0]
            line = self.lines.argument(name) or self.lines.naming(name)
            self.remark("switch-off", line, name=name)
        if shown["printed"]:
            self.remark("prints", shown["printed"][0])
        if shown["answer"]["container"] is not None:
            place = shown["answer"].get("place", 0)
            key = "returns-tuple" if place == 0 else "returns-tuple-later"
            self.remark("returns-tuple", self.lines.last_return(), key, place=place + 1)
        if examination.nan_rows:
            line = next((s["line"] for s in seen.steps if -math.inf in s["numbers"]), None)
            self.remark("nan-on-empty-row", line or self.lines.naming("inf"))
        unused = sorted(n for n in examination.unused if n in shown["registered"])
        if unused and examination.fitted.aligned:
            name = unused[0].rpartition(".")[0] or unused[0]
            self.remark("parameter-unused", self.lines.assignment(name.split(".")[-1]), name=name)
