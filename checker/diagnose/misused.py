"""What an exception comes of where one thing is taken for another.

A class for a layer, a method for its result, a list for a tensor, a float for a size.
"""

from __future__ import annotations

import ast
import inspect
import re

import torch

from ..judge.source import Source
from ..judge.written import function_at
from ..process.answers import Raised
from ..report.message import Message, say
from .names import UNDEFINED, attributes, attributes_set, method_class

__all__ = ["misused"]

_METHOD = re.compile(r"builtin_function_or_method|'(?:builtin_)?method'|got method")
_SEVERAL = re.compile(
    r"'(list|tuple)' object has no attribute '(\w+)'|must be Tensor, not (list|tuple)\b"
    r"|can only concatenate (list|tuple) \(not \"Tensor"
    r"|unsupported operand type\(s\) for .*'(list|tuple)' and 'Tensor'"
    r"|unsupported operand type\(s\) for .*'Tensor' and '(list|tuple)'"
)
_FLOAT = re.compile(
    r"must be tuple of ints, ?but (?:got|found element of type) float"
    r"|'float' object cannot be interpreted as an integer"
)
_LAYER = re.compile(
    r"must be Tensor, not (\w+)|(\w+)\.__init__\(\) got multiple values for"
    r"|unsupported operand type\(s\) for .*?'(\w+)'|'(\w+)' object has no attribute '(\w+)'"
)
_KEYWORD = re.compile(r"unexpected keyword argument '(\w+)'")
# A keyword among the arguments that a function of torch's says it got, and what is meant by it.
_GOT = re.compile(r"^(\w+)\(\) (?:received .*? got \([^()]*?\b|got an unexpected .*')(\w+)(?:=|')")
_MEANT = {"dims": "dim", "axes": "dim"}
_COUNT = re.compile(
    r"(\w+)\.\w+\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) w\w+ given"
)
_LACKS = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
# So many of a class's attributes are told; who has more knows where to look.
_TOLD = 8


def misused(fault: Raised, source: Source) -> Message | None:
    """Say what is taken for what it is not, where an exception's words and its line tell it."""
    reason, line = fault.message, fault.line
    kept = _class_called(source, line)
    if kept is not None:
        name, made, place = kept
        return say("crash-class", name=name, made=made, line=place)
    if _METHOD.search(reason):
        name = _uncalled(source, line)
        kept_in = _kept_uncalled(source, line) if name is None else None
        if kept_in is not None:
            return kept_in
        key = "crash-uncalled" if name is None else "crash-uncalled-named"
        return say(key, name=name)
    several = _SEVERAL.search(reason)
    if several is not None and hasattr(torch.Tensor, several[2] or "shape"):
        kinds = (several[at] for at in (1, 3, 4, 5, 6))
        return say(f"crash-{next(filter(None, kinds))}")
    if _FLOAT.search(reason):
        # Where no `/` stands in the file, a float is made in another way.
        divides = any(isinstance(node, ast.Div) for node in ast.walk(source.tree))
        return say("crash-whole" if divides else "crash-whole-plain")
    layer = _LAYER.search(reason)
    if layer is not None and hasattr(torch.Tensor, layer[5] or "shape"):
        made = next(filter(None, layer.groups()))
        if made in _layers():
            return say("crash-made", made=made)
    keyword = _KEYWORD.search(reason)
    got, known = _GOT.search(reason), None
    if keyword is not None:
        known = _takes(source, line, keyword[1])
    if got is not None and known is None and got[2] in _MEANT and _of_torch(source, got[1]):
        return say("crash-meant", meant=_MEANT[got[2]])
    if keyword is not None:
        return known
    counted = _COUNT.search(reason)
    if counted is not None and line is not None:
        takes, given = int(counted[2]) - 1, int(counted[3]) - 1
        return say("crash-many", takes=takes, given=given)
    undefined = UNDEFINED.search(reason)
    if undefined is not None and _forgotten(source, line, undefined[1]):
        return say("crash-no-argument", name=undefined[1])
    lacks = _LACKS.search(reason)
    return _never_set(source, lacks[1], lacks[2]) if lacks is not None else None


def _layers() -> dict[str, type]:
    """The layers of `torch.nn`, by their names."""
    return {name: kind for name, kind in vars(torch.nn).items() if isinstance(kind, type)}


def _of_torch(source: Source, name: str) -> bool:
    """Whether torch has a function of this name, and the file has none."""
    own = (getattr(node, "name", None) for node in ast.walk(source.tree))
    return (hasattr(torch, name) or hasattr(torch.Tensor, name)) and name not in own


def _takes(source: Source, line: int | None, keyword: str) -> Message | None:
    """Say what a call of torch's takes that is given another keyword."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and node.lineno <= (line or 0) <= (node.end_lineno or 0):
            call = ast.unparse(node.func)
            known = {**vars(torch.nn.functional), **_layers()}.get(call.rpartition(".")[2])
            if known is not None and keyword in {one.arg for one in node.keywords}:
                names = [name for name in inspect.signature(known).parameters if name[0] != "_"]
                told = [f"`{one}`" for one in names]
                return say("crash-keyword", call=call, names=told)
    return None


def _class_called(source: Source, line: int | None) -> tuple[str, str, int] | None:
    """An attribute called on a line that holds a class of `nn`: it, the class, where it is set."""
    own = method_class(source, line)
    called = {
        ast.unparse(node.func)
        for node in (ast.walk(own) if own is not None else ())
        if isinstance(node, ast.Call) and node.lineno <= (line or 0) <= (node.end_lineno or 0)
    }
    for node in ast.walk(own) if own is not None else ():
        if isinstance(node, ast.Assign):
            made = ast.unparse(node.value)
            names = called & {ast.unparse(target) for target in node.targets}
            if (
                names
                and re.fullmatch(r"((torch\.)?nn\.)?(\w+)", made)
                and (made.rpartition(".")[2] in _layers())
            ):
                return names.pop(), made, node.lineno
    return None


def _forgotten(source: Source, line: int | None, name: str) -> bool:
    """Whether a constructor keeps an argument that it does not take."""
    own, function = method_class(source, line), function_at(source, line)
    called = function is not None and function.name == "__init__"
    return own is not None and called and name in attributes_set(own, line)


def _uncalled(source: Source, line: int | None) -> str | None:
    """The tensor's method that a line names without calling it, where there is just one."""
    on_line = [node for node in ast.walk(source.tree) if getattr(node, "lineno", None) == line]
    called = {id(node.func) for node in on_line if isinstance(node, ast.Call)}
    found = {
        ast.unparse(node)
        for node in on_line
        if isinstance(node, ast.Attribute) and id(node) not in called
        and callable(getattr(torch.Tensor, node.attr, None))
    }  # fmt: skip
    return found.pop() if len(found) == 1 else None


def _kept_uncalled(source: Source, line: int | None) -> Message | None:
    """Say which line gives a name to a tensor's method, where it reads just one such name."""
    function = function_at(source, line) if line is not None else None
    nodes = [*ast.walk(function)] if function is not None else []
    read = {one.id for one in nodes if isinstance(one, ast.Name) and one.lineno == line}
    found = [
        (target.id, node.value.attr, node.lineno)
        for node in nodes if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)
        for target in node.targets if isinstance(target, ast.Name) and target.id in read
        if callable(getattr(torch.Tensor, node.value.attr, None))
    ]  # fmt: skip
    if len(found) != 1:
        return None
    name, method, place = found[0]
    return say("crash-uncalled-kept", line=place, made=f".{method}", name=name)


def _never_set(source: Source, owner: str, name: str) -> Message | None:
    """Say that a class never sets an attribute, and which it does set."""
    own = source.classes.get(owner)
    bases = [ast.unparse(base).rpartition(".")[2] for base in own.bases] if own is not None else []
    # Who sets it by its name as a string, or inherits it, is told nothing that may be untrue.
    texts = {node.value for node in ast.walk(own or ast.Pass()) if isinstance(node, ast.Constant)}
    if own is None or bases != ["Module"] or name in texts | set(attributes(own)):
        return None
    methods = {node.name for node in own.body if isinstance(node, ast.FunctionDef)}
    sets = [one for one in dict.fromkeys(attributes(own)) if one not in methods]
    told = [f"`{one}`" for one in sets[:_TOLD]]
    key = "crash-unset" if 0 < len(sets) <= _TOLD else "crash-unset-plain"
    return say(key, name=name, names=told)
