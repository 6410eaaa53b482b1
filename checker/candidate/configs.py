"""In the candidate's process: configurations, of the submission's own kind or made up.

A constructor that takes a configuration reads sizes from it by name, perhaps through parts of
it: `cfg.model.dim`, `cfg["attention"]["heads"]`. Whatever is read answers by what its name means.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any

from torch import nn

from ..vocabulary import constructor_role
from .loading import strings_read
from .signatures import kind_of

__all__ = ["Settings", "configuration", "fill_shared"]

_FILLED = {"width", "heads", "length", "dropout", "head_dim"}
# Settings that keep what the submission gave them.
_OWN = {"bias", "device", "dtype", "eps", "flag"}
_DEPTH = 4
# What is asked of a setting that is a word.
_TEXT = {"lower", "upper", "strip", "startswith", "endswith", "split", "replace", "casefold"}
# A required field that no role claims, by what its annotation says.
_NOTHING: dict[str, Any] = {"str": "", "int": 0, "float": 0.0, "bool": False}


def _got(made: Any, name: str, default: Any, role: str | None) -> Any:
    """What something made up has under a name of a role; a default that is the file's own stays."""
    own = isinstance(default, str) or (default is not None and role in _OWN)
    return made[name] if name in made and not own else default


class Settings(dict):  # type: ignore[type-arg]
    """A configuration made from the attributes that a constructor reads.

    Attribute, item and `.get` access all answer by what the name means.
    """

    def __init__(self, roles: dict[str, Any], namespace: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__["_roles"] = roles
        # Filled as well, for code that merges it into defaults of its own.
        for name in strings_read(namespace.values()):
            role = _role(name, roles)
            if _is_size(role) and role in roles:
                self[name] = _read(name, roles)

    def __missing__(self, name: str) -> Any:
        return _read(name, self.__dict__["_roles"])

    def __contains__(self, name: object) -> bool:
        roles = self.__dict__["_roles"]
        return _role(str(name), roles) in roles

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def get(self, name: str, default: Any = None) -> Any:
        """What a name means; the default where it means nothing, or what is the file's own."""
        return _got(self, name, default, _role(str(name), self.__dict__["_roles"]))


class _Part:
    """What a made-up setting answers when it turns out to be a part with settings of its own."""

    roles: dict[str, Any]
    called: str

    def __getitem__(self, name: Any) -> Any:
        # Of a list of numbers each is the one that its name means.
        return _read(name, self.roles, self.called) if isinstance(name, str) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr("", name) if name in _TEXT else self[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _role(name, self.roles, self.called) in self.roles

    def get(self, name: str, default: Any = None) -> Any:
        """What a name means; the default where it means nothing, or what is the file's own."""
        return _got(self, name, default, _role(str(name), self.roles, self.called))


class _Whole(_Part, int):
    """A size, or 0 where nothing is known; a part of the configuration where it is read as one."""


class _Rate(_Part, float):
    """A rate, likewise."""


def _read(name: str, roles: dict[str, Any], part: str = "") -> Any:
    """What a name means in a made-up configuration. part: the name of the part it is read from."""
    role = _role(name, roles, part)
    value = roles.get(role or "", "scale" in name)
    if value is True or not isinstance(value, (int, float)):
        return value
    found: _Whole | _Rate = _Rate(value) if isinstance(value, float) else _Whole(value)
    found.roles, found.called = roles, name
    return found


def _role(name: str, roles: dict[str, Any], part: str = "") -> str | None:
    """What an attribute of a configuration asks for: `=name` where its name is known.

    part: the name of the part that it stands in, which says more where its own says nothing.
    """
    known = f"={name}"
    if known in roles:
        return known
    own = constructor_role(name, config=True)
    return own or (constructor_role(f"{part}_{name}", config=True) if part else None)


def _is_size(role: str | None) -> bool:
    """Whether a setting is a size or a rate, by what it means or by its very name."""
    return role is not None and (role in _FILLED or role.startswith("="))


def configuration(namespace: dict[str, Any], annotation: str, roles: dict[str, Any]) -> Any:
    """Make the configuration that an argument takes, of the file's own kind where it has one."""
    own = [
        value
        for value in namespace.values()
        if _is_kind(value) and value.__module__ == "submission" and not issubclass(value, nn.Module)
    ]
    named = [value for value in own if value.__name__ == annotation]
    if not named and annotation not in {"dict", "Dict", "Mapping"}:
        named = [
            v for v in own if any(w in v.__name__.lower() for w in ("config", "args", "param"))
        ]
    # Of several, the one that knows most of the sizes by name.
    known = {
        kind: {*filter(_is_size, (_role(name, roles) for name in _names(kind, namespace)))}
        for kind in named
    }
    named.sort(key=lambda kind: len(known[kind]))
    for kind in reversed(named):
        with contextlib.suppress(Exception):  # the made-up settings serve where theirs do not
            return _filled(kind, roles, namespace)
    return Settings(roles, namespace)


def fill_shared(namespace: dict[str, Any], roles: dict[str, Any]) -> None:
    """Set the sizes in the configurations that the file keeps in globals."""
    for name, value in list(namespace.items()):
        if constructor_role(name) == "config":
            with contextlib.suppress(Exception):  # a frozen one stays as it is
                _overwrite(value, roles)


def _is_kind(value: Any) -> bool:
    return issubclass(type(value), type)


def _names(kind: type, namespace: dict[str, Any], depth: int = 0) -> Iterator[str]:
    """The settings of a kind of configuration, those of its parts included."""
    fields = getattr(kind, "__dataclass_fields__", {})
    for name in {*dir(kind), *fields}:
        inner = getattr(kind, name, None)
        if name in fields and not isinstance(inner, type):
            inner = _part(fields[name].type, namespace, kind)
        if not name.startswith("_"):
            yield name
            if isinstance(inner, type) and depth < _DEPTH:
                yield from _names(inner, namespace, depth + 1)


def _filled(kind: type, roles: dict[str, Any], namespace: dict[str, Any], depth: int = 0) -> Any:
    if dataclasses.is_dataclass(kind):
        given = {}
        for field in dataclasses.fields(kind):
            required = field.default is field.default_factory is dataclasses.MISSING
            part = _part(field.type, namespace, kind)
            role = _role(field.name, roles)
            if not field.init:
                continue
            if part is not None and depth < _DEPTH:
                given[field.name] = _filled(part, roles, namespace, depth + 1)
            elif role in roles and _fills(role, field.default):
                given[field.name] = roles[role]
            elif required and role not in roles:
                given[field.name] = _NOTHING.get(_annotated(field.type))
        made = kind(**given)
        _overwrite_parts(made, roles)
        return made
    if issubclass(kind, dict):
        hints = dict[str, Any](getattr(kind, "__annotations__", {}))
        # What may be left out, and is the file's own, is left out.
        optional = getattr(kind, "__optional_keys__", ())
        hints = {n: h for n, h in hints.items() if n not in optional or _role(n, roles) not in _OWN}
        return kind(**_arguments(hints, hints, roles, namespace, kind, depth))
    if hasattr(kind, "_fields"):
        hints = getattr(kind, "__annotations__", {})
        return kind(**_arguments(kind._fields, hints, roles, namespace, kind, depth))
    try:
        made = kind()
    except TypeError:
        parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
        hints = {one.name: one.annotation for one in parameters}
        made = kind(**_arguments(hints, hints, roles, namespace, kind, depth))
    _overwrite(made, roles)
    return made


def _arguments(
    names: typing.Iterable[str],
    hints: dict[str, Any],
    roles: dict[str, Any],
    namespace: dict[str, Any],
    kind: type,
    depth: int,
) -> dict[str, Any]:
    given = {}
    for name in names:
        part = _part(hints.get(name), namespace, kind)
        if part is not None and depth < _DEPTH:
            given[name] = _filled(part, roles, namespace, depth + 1)
        elif (role := _role(name, roles)) in roles:
            given[name] = roles[role]
    return given


def _part(annotation: Any, namespace: dict[str, Any], owner: type) -> type | None:
    """The submission's own kind that an annotation names, that of a part of a configuration."""
    kind = kind_of(annotation, namespace)
    return None if kind is owner else kind


def _annotated(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")


def _fills(role: str | None, value: Any) -> bool:
    """Whether what a role is worth goes in the place of a setting that is this so far.

    None means "derive it from the rest", which the candidate does itself, but where the kata asks
    for that very setting.
    """
    if value is None:
        return role is not None and role.startswith("=")
    return role not in _OWN and not isinstance(value, str)


def _is_part(value: Any) -> bool:
    """Whether a setting holds further ones."""
    if isinstance(value, dict):
        return True
    kind = value if _is_kind(value) else type(value)
    return kind.__module__ in {"submission", "types", "argparse"} and not callable(
        None if _is_kind(value) else value
    )


def _overwrite_parts(made: Any, roles: dict[str, Any]) -> None:
    for name in _settings(made):
        value = _get(made, name)
        if _is_part(value) and not dataclasses.is_dataclass(value):
            _overwrite(value, roles, name, 1)


def _overwrite(made: Any, roles: dict[str, Any], part: str = "", depth: int = 0) -> None:
    """Set every size that a configuration holds, those in its parts too."""
    if depth > _DEPTH or not _is_part(made):
        return
    for name in _settings(made):
        value, role = _get(made, name), _role(name, roles, part)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (number or value is None):
            _overwrite(value, roles, name, depth + 1)
        elif role in roles and _fills(role, value):
            _set(made, name, roles[role])


def _settings(made: Any) -> list[str]:
    """The names of what a configuration holds and does not work out."""
    if isinstance(made, dict):
        return [name for name in made if isinstance(name, str)]
    kind = made if _is_kind(made) else type(made)
    return [
        name
        for name in dir(made)
        if not name.startswith("_") and not isinstance(getattr(kind, name, None), property)
    ]


def _get(made: Any, name: str) -> Any:
    return made[name] if isinstance(made, dict) else getattr(made, name, None)


def _set(made: Any, name: str, value: Any) -> None:
    if isinstance(made, dict):
        made[name] = value
    elif _is_kind(made):
        setattr(made, name, value)
    else:
        # A part that is frozen for its user is not for what fills it.
        object.__setattr__(made, name, value)
