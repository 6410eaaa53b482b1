"""Why a file cannot be judged: it does not load, has no such class, or cannot be called."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import Any

from ...kata.catalogue import Kata
from ..diagnose.classes.edits import raising
from ..diagnose.classes.evidence import crash
from ..diagnose.crashes import because, no_tensor, placed, reason_of
from ..diagnose.names import meant, misspelt_method
from ..diagnose.origins import Origins
from ..diagnose.selves import about_self
from ..report.messages import say
from ..report.report import Diagnosis, Fault, Part
from .classes.attempts import Unbound, plain_inputs
from .source import Source
from .written import hollow, unwritten

__all__ = ["Unjudged", "known", "load_fault", "no_class", "not_bound", "slipped"]


class Unjudged(Exception):
    """The file cannot be judged; the report says why."""

    def __init__(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        help: str = "",  # noqa: A002
    ) -> None:
        super().__init__(message)
        self.fault = Fault(kind=kind, message=message, line=line, help=help)
        self.diagnosis: list[Diagnosis] = []
        self.functions: list[Part] = []


def load_fault(fault: dict[str, Any], source: Source, language: str) -> Unjudged:
    """The file raised while it was loaded."""
    tell = partial(say, language=language)
    line, reason = fault["line"], reason_of(fault)
    missing = re.match(r"No module named '([^']+)'", reason)
    if missing and "ImportError" in fault["kinds"]:
        message = tell("load-import", name=missing[1], **placed(line, language))
        return Unjudged("load", message, line)
    slip = slipped(fault, source, language)
    if slip is not None:
        return Unjudged("load", slip, line)
    message = tell("load-raised", kind=fault["type"], reason=reason, **placed(line, language))
    more = because(fault, source, language) or tell("load-keep")
    return Unjudged("load", message, line, more)


def slipped(fault: dict[str, Any], source: Source, language: str) -> str | None:
    """What to say of a name that was misspelt, where an exception comes of one."""
    reason, line = reason_of(fault), fault["line"]
    if about_self(fault, source, language) is not None:
        return None
    intended = meant(reason, source, line)
    if intended is None:
        return None
    return say("load-misspelt", language, reason=reason, meant=intended, **placed(line, language))


def no_class(
    kata: Kata, wanted: str | None, candidates: tuple[dict[str, Any], ...], source: Source,
    language: str,
) -> Unjudged:  # fmt: skip
    """No class is the one, of those that the file defines. wanted: the one that was asked for."""
    tell = partial(say, language=language)
    found = ", ".join(f"{entry['name']} ({entry['line']})" for entry in candidates)
    if wanted is not None:
        found = found or "-"
        return Unjudged("no-class", tell("no-class-named", name=wanted, found=found))
    if candidates:
        return Unjudged("no-class", tell("class-unclear", found=found))
    functions = [n for n in source.tree.body if isinstance(n, ast.FunctionDef)]
    if functions and not source.classes:
        found = ", ".join(f"`{node.name}` ({node.lineno})" for node in functions)
        message = tell("class-not-function", wanted=kata.class_name, found=found)
        return Unjudged("no-class", message, functions[0].lineno)
    message = tell("no-class", kata=kata.id, wanted=kata.class_name)
    return Unjudged("no-class", message)


def not_bound(
    unbound: Unbound, kata: Kata, entry: dict[str, Any], source: Source, language: str
) -> Unjudged:
    """No way to make and call the class, as the file describes it, gives an output."""
    tell = partial(say, language=language)
    name = entry["name"]
    best = unbound.best
    kind = "construct" if best["phase"] == "construct" else "forward"
    fault = best.get("fault")
    misspelt = misspelt_method(source, name)
    if misspelt is not None:
        line, method, right = misspelt
        return Unjudged(kind, tell("init-misspelt", line=line, name=method, meant=right), line)
    missing = _not_written(fault, entry["line"], source)
    if missing is not None:
        key = "unwritten" if "NotImplementedError" in source.line(missing) else "hollow"
        unjudged = Unjudged(kind, tell(key, line=missing, name=name), missing)
        unjudged.functions = [Part(name=name, status="waits", line=missing)]
        return unjudged
    if fault is None:
        made = best["answer"]["container"]
        return Unjudged("forward", no_tensor("forward", made, language), entry["line"])
    line = fault["line"]
    slip = slipped(fault, source, language)
    if slip is not None:
        return Unjudged(kind, slip, line)
    told = {"kind": fault["type"], "reason": reason_of(fault), **placed(line, language)}
    if kind == "construct":
        given = unbound.binding.as_written(unbound.size)
        message = tell("construct-raised", name=name, given=given, **told)
    else:
        call = f"forward({', '.join(n for n, _ in unbound.binding.forward.sources)})"
        message = tell("forward-raised", call=call, **told)
    _, inputs = plain_inputs(kata, unbound.binding, unbound.size)
    made = raising(kata, unbound.size, inputs, fault["message"]) if kind == "forward" else None
    mistake = crash(fault, kata) if kind == "forward" and made is None else None
    more = because(fault, source, language, cause=mistake is None and made is None)
    more = _not_given(unbound, kind, language) or more
    unjudged = Unjudged(kind, message, line, more)
    if made is not None:
        # It was made before the line that raises.
        unjudged.diagnosis = [Diagnosis(mistake=made.id, message=made.words[language])]
    elif mistake is not None:
        if mistake == "length-fixed" and line is not None:
            line = Origins(source, name).size([line]) or line
        unjudged.diagnosis = [known(mistake, line, source, language, told["reason"])]
    return unjudged


def _not_given(unbound: Unbound, kind: str, language: str) -> str:
    """What the class asks for that the kata has not, where that may be why it raised."""
    if kind == "forward":
        names = ", ".join(f"`{name}`" for name in unbound.binding.forward.unasked)
        return say("arguments-not-given", language, names=names) if names else ""
    configs = [name for name, role in unbound.binding.constructor if role == "config"]
    return say("config-made-up", language, name=configs[0]) if configs else ""


def _not_written(fault: dict[str, Any] | None, line: int | None, source: Source) -> int | None:
    """The line at which a class is not written yet. line: where its forward begins."""
    if fault is None:
        return hollow(source, line)
    return unwritten(fault, source)


def known(
    mistake: str, line: int | None, source: Source, language: str, reason: str = ""
) -> Diagnosis:
    """The mistake behind an exception. reason: torch's words."""
    message = say(mistake, language, dtype="float32", reason=reason)
    yours = source.line(line).strip() or None
    return Diagnosis(mistake=mistake, line=line, message=message, yours=yours)
