"""In the candidate's process: make an object of the candidate's class, and find its weights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import remove_weight_norm
from torch.nn.utils.parametrize import is_parametrized, remove_parametrizations

from ..process.requests import Config, Device, Dtype, FunctionRecipe, Recipe, Worth
from ..vocabulary import constructor_role
from .configs import Settings, configuration, fill_shared
from .loading import plain, strings_read

__all__ = ["Built", "build", "may_be_mask"]


# What every module keeps: its own weights and layers, which torch names, and its hooks.
_MODULE_OWN = frozenset(vars(nn.Module()))
# How torch names what a parametrized weight is made of.
_MADE_OF = re.compile(r"\bparametrizations\.(\w+)\.original$")
# A mask has two values, at most three; weights have as many as entries.
_MASK_LEVELS = 4

# Bound before any submission runs: what it puts in their place is its own affair.
_numel, _pointer = Tensor.numel, Tensor.data_ptr


class Built:
    """A made object and every weight that can be found in it.

    registered: what `named_parameters` gives, without what is frozen beside what learns, which
    frozen has. hidden: weights and layers that sit in plain lists, dicts or attributes, where no
    optimiser would find them. kept: what calls gave back for later calls, by name. still: as in a
    recipe.
    """

    def __init__(self, thing: Any, still: Sequence[str] = ()) -> None:
        self.thing = thing
        self.still = still
        self.registered: dict[str, Tensor] = {}
        self.frozen: dict[str, Tensor] = {}
        self.hidden: dict[str, Tensor] = {}
        self.loose: list[nn.Module] = []
        self.kept: dict[str, Any] = {}
        self._plain_weights()
        self.survey()

    def modules(self) -> list[list[str]]:
        """Name the object's modules with their kinds."""
        if not isinstance(self.thing, nn.Module):
            return []
        return [[name, type(module).__name__] for name, module in self.thing.named_modules()]

    def names(self) -> tuple[dict[int, str], dict[int, str]]:
        """Name the modules and the weights by their identity."""
        inner = self.thing.named_modules() if isinstance(self.thing, nn.Module) else ()
        modules = {id(module): name for name, module in inner if name}
        return modules, {id(weight): name for name, weight in self.weights.items()}

    def _plain_weights(self) -> None:
        """Give layers a plain weight for what makes one of others, in either of torch's ways.

        A direction and a length, a matrix and low-rank factors added to it: any weight can be. Not
        where it is made of fewer numbers than it has, as one head's that serves all.
        """
        modules: list[Any] = [*self.thing.modules()] if isinstance(self.thing, nn.Module) else []
        for module in modules:
            if is_parametrized(module):
                for name, many in [*module.parametrizations.items()]:
                    given = sum(one.numel() for one in many.parameters())
                    if given >= getattr(module, name).numel():
                        remove_parametrizations(module, name)
            for hook in list(module._forward_pre_hooks.values()):  # noqa: SLF001
                if type(hook).__name__ == "WeightNorm":
                    remove_weight_norm(module, hook.name)

    @property
    def bare(self) -> dict[str, Tensor]:
        """Attributes and buffers that are float tensors of two axes or more: weights, perhaps."""
        return {
            name: value
            for name, value in self._tensors.items()
            if value.dim() > 1 and value.is_floating_point() and not may_be_mask(value)
        }

    @property
    def _tensors(self) -> dict[str, Tensor]:
        """Attributes and buffers that are tensors, the object's own and its modules'."""
        own: Iterable[tuple[str, Any]] = [("", self.thing)]
        modules = self.thing.named_modules() if isinstance(self.thing, nn.Module) else own
        found: dict[str, Tensor] = {}
        for path, owner in modules:
            held = vars(owner) if hasattr(owner, "__dict__") else {}
            for name, value in {**held, **held.get("_buffers", {})}.items():
                if isinstance(value, Tensor):
                    found[f"{path}.{name}".strip(".")] = value
        return found

    @property
    def kept_still(self) -> dict[str, Tensor]:
        """What counts as a weight and does not learn."""
        found = {**self.frozen, **self._tensors} if self.still else {}
        return {name: found[name] for name in self.still if name in found}

    @property
    def forward(self) -> Callable[..., Any]:
        """What is called: the object, or its forward where it cannot be called itself."""
        return self.thing if callable(self.thing) else self.thing.forward

    def survey(self) -> None:
        """Look for weights again; layers made lazily appear only after a first call."""
        self.registered, self.frozen = {}, {}
        if isinstance(self.thing, nn.Module):
            named = self.thing.named_parameters()
            held: dict[str, Tensor] = {_MADE_OF.sub(r"\1", name): one for name, one in named}
            # One that is frozen beside others that learn is a constant, as a table of angles is.
            self.registered = {n: one for n, one in held.items() if one.requires_grad} or held
            self.frozen = {n: one for n, one in held.items() if n not in self.registered}
        seen = {id(parameter) for parameter in self.registered.values()}
        self.hidden, self.loose = {}, []
        modules = list(self.thing.modules()) if isinstance(self.thing, nn.Module) else [self.thing]
        known = {id(module) for module in modules}
        for owner in modules:
            self._scan(vars(owner) if hasattr(owner, "__dict__") else {}, "", seen, known, 0)
        self.hidden |= self.kept_still

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
    def together(self) -> list[list[str]]:
        """Names of weights that begin at one place in memory, though each is an object of its own.

        As they were made: to bring them to another dtype gives each a memory of its own.
        """
        found: dict[int, list[str]] = {}
        for name, one in self.weights.items() if not self.lazy else ():
            if _numel(one) and one.layout is torch.strided and one.device.type != "meta":
                found.setdefault(_pointer(one), []).append(name)
        return [names for names in found.values() if len(names) > 1]

    @property
    def lazy(self) -> bool:
        """Whether some parameter has no shape yet."""
        lazy = torch.nn.parameter.UninitializedParameter
        return any(isinstance(parameter, lazy) for parameter in self.registered.values())

    def convert(self, dtype: torch.dtype, *, wide: bool = False) -> None:
        """Bring every weight to a dtype, and every buffer. wide: all but what learns stays."""

        def converted(held: Tensor) -> Tensor:
            return held.to(dtype) if held.is_floating_point() else held

        every = [one for root in self._roots() for one in root.modules()] if wide else []
        buffers = [(one, *held) for one in every for held in one.named_buffers(recurse=False)]
        frozen = [(p, p.data) for one in every for p in one.parameters(recurse=False)
                  if not p.requires_grad]  # fmt: skip
        for module in self._roots():
            # As `.half()` and its like do; `.to` makes complex buffers real, and loses a half.
            module._apply(converted)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        for module, name, held in buffers:
            setattr(module, name, held)
        for parameter, held in frozen:
            parameter.data = held
        for name, parameter in list(self.hidden.items()):
            if parameter.dtype != dtype:
                parameter.data = parameter.data.to(dtype)
                self.hidden[name] = parameter
        if self.still:
            # A buffer is another tensor now.
            self.survey()

    def move(self, place: torch.device | None) -> None:
        """Move the object as its user would, by `.to`; what that leaves behind stays behind."""
        if place is not None and isinstance(self.thing, nn.Module):
            self.thing.to(place)
            self.survey()

    def mode(self, *, training: bool) -> None:
        """Switch to training or evaluation, as torch does: not what a plain list holds."""
        own = self.thing if isinstance(self.thing, nn.Module) else None
        # Most calls ask for the mode of the call before.
        if own is not None and any(one.training is not training for one in own.modules()):
            own.train(training)

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
    if tensor.dim() < 2 or tensor.is_complex():
        return False
    left = tensor.detach()
    for _ in range(_MASK_LEVELS // 2):
        # Not by a sort, which takes a second for a mask of 4096 × 4096.
        if left.numel():
            low, high = left.aminmax()
            left = left[(left != low) & (left != high)]
    return not left.numel()


def build(namespace: dict[str, Any], recipe: Recipe, place: torch.device) -> Built:
    """Make the object that a recipe describes.

    place: the device that a constructor is told, where it asks for one.
    """
    if isinstance(recipe, FunctionRecipe):
        return Built(namespace[recipe.name])
    namespace.update(recipe.globals)

    def plain_value(item: Worth) -> Any:
        if isinstance(item, Dtype):
            return getattr(torch, item.name)
        return place if isinstance(item, Device) else item

    roles = {role: plain_value(worth) for role, worth in recipe.roles.items()}
    fill_shared(namespace, roles)

    def value_of(item: Config | Worth) -> Any:
        if isinstance(item, Config):
            return configuration(namespace, item.annotation, roles)
        return plain_value(item)

    args = [value_of(item) for item in recipe.args]
    kwargs = {name: value_of(item) for name, item in recipe.kwargs.items()}
    if recipe.spread:
        # A constructor that takes anything by name is given what it reads.
        kwargs |= Settings(roles, namespace)
        for name in strings_read(namespace.values()):
            if constructor_role(name) == "config":
                kwargs[name] = configuration(namespace, "", roles)
    return Built(namespace[recipe.name](*args, **kwargs), recipe.still)
