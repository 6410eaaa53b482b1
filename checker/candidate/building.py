"""In the candidate's process: make an object of the candidate's class, and find its weights."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ..vocabulary import constructor_role
from .loading import plain, strings_read

__all__ = ["Built", "build", "may_be_mask"]


# What every module keeps: its own weights and layers, which torch names, and its hooks.
_MODULE_OWN = frozenset(vars(nn.Module()))
# A mask has two values, at most three; weights have as many as entries.
_MASK_LEVELS = 4


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
            if role in _FILLED and role in roles:
                self[name] = roles[role]

    def __missing__(self, name: str) -> Any:
        roles = self.__dict__["_roles"]
        role = _role(name, roles)
        if role in roles:
            return roles[role]
        return "scale" in name

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
        return self[name] if name in self else default  # noqa: SIM401 - this is that get


def _role(name: str, roles: dict[str, Any]) -> str | None:
    """What an attribute of a configuration asks for: `=name` where its name is known."""
    known = f"={name}"
    return known if known in roles else constructor_role(name, config=True)


_FILLED = {"width", "heads", "length", "dropout", "head_dim"}


class Built:
    """A made object and every weight that can be found in it.

    registered: what `named_parameters` gives and is not frozen. hidden: weights and layers that
    sit in plain lists, dicts or attributes, where no optimiser would find them. kept: what calls
    gave back for later calls, by name.
    """

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.registered: dict[str, Tensor] = {}
        self.hidden: dict[str, Tensor] = {}
        self.loose: list[nn.Module] = []
        self.kept: dict[str, Any] = {}
        self.survey()

    @property
    def plain(self) -> list[str]:
        """Attributes that are bare float tensors of two axes or more: weights, perhaps."""
        held = vars(self.thing) if hasattr(self.thing, "__dict__") else {}
        buffers = dict(self.thing.named_buffers()) if isinstance(self.thing, nn.Module) else {}
        found = {**held, **buffers}
        return [
            str(name)
            for name, value in found.items()
            if isinstance(value, Tensor)
            and value.dim() > 1
            and value.is_floating_point()
            and not may_be_mask(value)
        ]

    @property
    def forward(self) -> Callable[..., Any]:
        """What is called: the object, or its forward where it cannot be called itself."""
        return self.thing if callable(self.thing) else self.thing.forward

    def survey(self) -> None:
        """Look for weights again; layers made lazily appear only after a first call."""
        self.registered = {}
        if isinstance(self.thing, nn.Module):
            held: dict[str, Tensor] = dict(self.thing.named_parameters())
            # One that is frozen beside others that learn is a constant, as a table of angles is.
            self.registered = {n: one for n, one in held.items() if one.requires_grad} or held
        seen = {id(parameter) for parameter in self.registered.values()}
        self.hidden, self.loose = {}, []
        modules = list(self.thing.modules()) if isinstance(self.thing, nn.Module) else [self.thing]
        known = {id(module) for module in modules}
        for owner in modules:
            self._scan(vars(owner) if hasattr(owner, "__dict__") else {}, "", seen, known, 0)

    def _scan(self, value: Any, path: str, seen: set[int], known: set[int], depth: int) -> None:
        if depth > 4 or id(value) in known:
            return
        if isinstance(value, nn.Module):
            known.add(id(value))
            self.loose.append(value)
            for name, parameter in value.named_parameters():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    self.hidden[f"{path}.{name}"] = parameter
        elif isinstance(value, Tensor):
            if value.is_leaf and value.requires_grad and id(value) not in seen:
                seen.add(id(value))
                self.hidden[path] = value
        elif isinstance(value, dict):
            known.add(id(value))
            for key, item in list(value.items()):
                if not (depth == 0 and key in _MODULE_OWN):
                    name = str(key).strip("_")
                    self._scan(item, f"{path}.{name}" if path else name, seen, known, depth + 1)
        elif isinstance(value, (list, tuple)):
            known.add(id(value))
            for index, item in enumerate(value):
                self._scan(item, f"{path}.{index}", seen, known, depth + 1)

    @property
    def weights(self) -> dict[str, Tensor]:
        """Every weight, registered or not, by name."""
        return {**self.registered, **self.hidden}

    @property
    def lazy(self) -> bool:
        """Whether some parameter has no shape yet."""
        lazy = torch.nn.parameter.UninitializedParameter
        return any(isinstance(parameter, lazy) for parameter in self.registered.values())

    def convert(self, dtype: torch.dtype) -> None:
        """Bring every weight to a dtype."""

        def converted(held: Tensor) -> Tensor:
            return held.to(dtype) if held.is_floating_point() else held

        for module in self._roots():
            # As `.half()` and its like do; `.to` makes complex buffers real, and loses a half.
            module._apply(converted)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        for name, parameter in list(self.hidden.items()):
            if parameter.dtype != dtype:
                parameter.data = parameter.data.to(dtype)
                self.hidden[name] = parameter

    def move(self, place: torch.device | None) -> None:
        """Move the object as its user would, by `.to`; what that leaves behind stays behind."""
        if place is not None and isinstance(self.thing, nn.Module):
            self.thing.to(place)
            self.survey()

    def mode(self, *, training: bool) -> None:
        """Switch to training or evaluation."""
        for root in self._roots():
            # Most calls ask for the mode of the call before.
            if any(module.training is not training for module in root.modules()):
                root.train(training)

    def load(self, weights: dict[str, Tensor]) -> None:
        """Copy weights in by name; one that is not given, or of another shape, stays."""
        with torch.no_grad():
            for name, parameter in self.weights.items():
                if name in weights and tuple(weights[name].shape) == tuple(parameter.shape):
                    # In its own dtype, since a device may have no float64.
                    parameter.copy_(weights[name].to(parameter.dtype))

    def keep(self, result: Any, name: str, place: int) -> str:
        """Keep what stands at a place of a call's result; return its type's name, "" for none."""
        held = result[place] if type(result) in {tuple, list} and len(result) > place else None
        self.kept[name] = held
        return "" if held is None else plain(type(held).__name__)[:200]

    def _roots(self) -> list[nn.Module]:
        own = [self.thing] if isinstance(self.thing, nn.Module) else []
        return own + self.loose


def may_be_mask(tensor: Tensor) -> bool:
    """Whether a tensor has the axes of a mask, and as few values."""
    return tensor.dim() > 1 and len(tensor.detach().unique()) <= _MASK_LEVELS


def build(namespace: dict[str, Any], recipe: dict[str, Any], place: torch.device) -> Built:
    """Make the object that a recipe describes.

    recipe: function, the name of what is there already; or class, args and kwargs (plain values,
    or {"config": annotation}, {"device": …} and {"dtype": …} for what JSON cannot hold), roles
    (what each role is worth, and each name with "=" before it) and globals to set first. place:
    the device that a constructor is told, where it asks for one.
    """
    if "function" in recipe:
        return Built(namespace[recipe["function"]])
    namespace.update(recipe["globals"])

    def plain_value(item: Any) -> Any:
        if isinstance(item, dict) and "device" in item:
            return place
        if isinstance(item, dict) and "dtype" in item:
            return getattr(torch, item["dtype"])
        return item

    roles = {role: plain_value(worth) for role, worth in recipe["roles"].items()}
    _fill_shared_configs(namespace, roles)
    _lengthen(namespace, recipe.get("longest", 0))

    def value_of(item: Any) -> Any:
        if isinstance(item, dict) and "config" in item:
            return _configuration(namespace, item["config"], roles)
        return plain_value(item)

    args = [value_of(item) for item in recipe["args"]]
    kwargs = {name: value_of(item) for name, item in recipe["kwargs"].items()}
    return Built(namespace[recipe["class"]](*args, **kwargs))


def _lengthen(namespace: dict[str, Any], longest: int) -> None:
    """Let a longest length that stands in the module be this long at least, as its user would."""
    for name, value in list(namespace.items()):
        if type(value) is int and value < longest and constructor_role(name) == "length":
            namespace[name] = longest


def _configuration(namespace: dict[str, Any], annotation: str, roles: dict[str, Any]) -> Any:
    own = [
        value
        for value in namespace.values()
        if isinstance(value, type)
        and value.__module__ == "submission"
        and not issubclass(value, nn.Module)
    ]
    named = [value for value in own if value.__name__ == annotation]
    if not named and annotation not in {"dict", "Dict", "Mapping"}:
        named = [
            v for v in own if any(w in v.__name__.lower() for w in ("config", "args", "param"))
        ]
    # Of several, the one that knows most of the sizes by name.
    named.sort(key=lambda kind: sum(_role(n, roles) in _FILLED for n in dir(kind)))
    for kind in reversed(named):
        with contextlib.suppress(Exception):  # the made-up settings serve where theirs do not
            return _filled(kind, roles)
    return Settings(roles, namespace)


def _filled(kind: type, roles: dict[str, Any]) -> Any:
    if dataclasses.is_dataclass(kind):
        given = {
            field.name: roles[role]
            for field in dataclasses.fields(kind)
            if (role := _role(field.name, roles)) in roles
            and field.init
            and not _left_to_default(field, role)
        }
        return kind(**given)
    if hasattr(kind, "_fields"):
        wanted = {name: _role(name, roles) for name in kind._fields}
        return kind(**{name: roles[role] for name, role in wanted.items() if role in roles})
    try:
        made = kind()
    except TypeError:
        wanted = {
            name: _role(name, roles)
            for name in list(inspect.signature(kind.__init__).parameters)[1:]
        }
        made = kind(**{name: roles[role] for name, role in wanted.items() if role in roles})
    _overwrite(made, roles)
    return made


def _left_to_default(field: Any, role: str) -> bool:
    # A None default means "derive it from the rest", which the candidate does itself.
    named = field.default is None or isinstance(field.default, str)
    return named or role in {"bias", "device", "dtype", "eps", "flag"}


def _overwrite(made: Any, roles: dict[str, Any]) -> None:
    for name in dir(made):
        role = _role(name, roles)
        if name.startswith("_") or role not in roles or role in {"bias", "device", "dtype", "eps"}:
            continue
        if isinstance(getattr(type(made), name, None), property):
            continue
        value = getattr(made, name, None)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            setattr(made, name, roles[role])


def _fill_shared_configs(namespace: dict[str, Any], roles: dict[str, Any]) -> None:
    for name, value in list(namespace.items()):
        if constructor_role(name) != "config":
            continue
        if isinstance(value, dict):
            for key, old in list(value.items()):
                role = _role(str(key), roles)
                if role in roles and isinstance(old, (int, float)) and not isinstance(old, bool):
                    value[key] = roles[role]
        elif type(value).__module__ in {"submission", "types", "argparse"}:
            try:
                _overwrite(value, roles)
            except Exception:  # noqa: BLE001, S112 - a frozen one stays as it is
                continue
