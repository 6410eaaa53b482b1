"""Do stub and model answer keep the contract, and does the judge say so?"""

from __future__ import annotations

import inspect
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from ..checker import Bench, Options, Report
from ..kata.reading import BadContract, read_asked
from ..sentences.wording import sentence
from .layout import Kata, load_module, named, problem

__all__ = ["contract_problems", "judge_problems"]


def contract_problems(kata: Kata) -> Iterator[str]:
    """Yield where the class of the stub or of the model answer is not as the contract has it."""
    if not kata.data.get("needs"):
        # Elsewhere the judge alone imports what is needed.
        yield from _signature(kata, kata.stub, kata.file("stub.py"))
    answer = f"reference/{kata.reference.name}"
    if kata.reference.is_file():
        yield from _signature(kata, kata.reference, answer)
    else:
        yield problem(answer, "is missing", f"write {kata.id}'s model answer")


def judge_problems(bench: Bench, kata: Kata) -> Iterator[str]:
    """Yield where the judge does not call the stub unfinished, or the model answer right."""
    if kata.lacking:
        return
    own = kata.own_answer if kata.own_answer.is_file() else kata.reference
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(shutil.copy(kata.stub, Path(folder) / "stub.py"))
        # A copy under another name: to import the model answer itself is forbidden.
        answer = Path(shutil.copy(own, Path(folder) / "answer.py"))
        about_stub, about_answer = bench.judge(kata.id, [stub, answer], Options())
    error = about_stub.error
    if (
        about_stub.verdict != "error"
        or error is None
        or "not written" not in sentence(error.message, "en")
    ):
        wrong = f"is judged {_summary(about_stub)} where it should be unfinished"
        yield problem(kata.file("stub.py"), wrong, "let its forward raise NotImplementedError")
    if about_answer.verdict != "pass" or about_answer.remarks:
        wrong = f"is judged {_summary(about_answer)} by its own judge"
        file = kata.file(own.name) if own == kata.own_answer else f"reference/{own.name}"
        yield problem(file, wrong, f"see seed {about_answer.seed} again")


def _signature(kata: Kata, path: Path, file: str) -> Iterator[str]:
    if not path.is_file():
        return
    try:
        module = load_module(path)
    except Exception as fault:  # noqa: BLE001 - whatever it raises is a problem to tell
        yield problem(file, f"raises {type(fault).__name__} on import ({fault})", "mend it")
        return
    yield from _functions(kata, module, file)


def _functions(kata: Kata, module: ModuleType, file: str) -> Iterator[str]:
    """Yield where the functions of a file do not have the arguments that are asked for."""
    try:
        asked = read_asked(kata.data)
    except BadContract:
        return
    for function in asked.functions:
        found = getattr(module, function.name, None)
        if not callable(found):
            kind = "class" if function.module is not None else "function"
            yield problem(file, f"has no {kind} {function.name}", "name it as kata.toml does")
            continue
        if function.module is not None and isinstance(found, type):
            forward = f"forward{named(_arguments(found, 'forward'))}"
            if forward != function.call("forward"):
                yield problem(
                    file, f"has {forward}", f"the contract has {function.call('forward')}"
                )
        has = f"{function.name}{named(_written(inspect.signature(found)))}"
        if has != function.signature:
            yield problem(file, f"has {has}", f"the contract has {function.signature}")


def _arguments(found: type, method: str) -> list[str]:
    """Return a method's arguments as a contract writes them, without its first."""
    return _written(inspect.signature(getattr(found, method)))[1:]


def _written(signature: inspect.Signature) -> list[str]:
    """Return arguments as a contract writes them, defaults with an equals sign."""
    parameters = signature.parameters.values()
    return [
        each.name if each.default is each.empty else f"{each.name}={each.default!r}"
        for each in parameters
    ]


def _summary(report: Report) -> str:
    """Return a verdict and its grounds in one line."""
    grounds = [check.id for check in report.checks if check.status == "fail"]
    grounds += [mistake.mistake for mistake in report.diagnosis]
    grounds += [remark.id for remark in report.remarks]
    if report.error is not None:
        grounds.append(sentence(report.error.message, "en"))
    return f"{report.verdict} ({', '.join(grounds)})" if grounds else report.verdict
