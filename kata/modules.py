"""What a kata asks of a class beyond its call: how it is made, and which weights it has.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .arithmetic import names, worth

__all__ = ["BadContract", "Layer", "Module", "Setting", "only", "read_module"]


class BadContract(ValueError):
    """A contract that cannot be read. The message says which key, and what is wrong there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One argument of a constructor.

    value: what it is worth, a sum of sizes. also: other names for it. extra: it is not asked
    for, and given to a constructor that cannot do without; with a default it is one that people
    have, and keeps it. default: the number that it is where nothing is said; None where it must be.
    """

    name: str
    value: str
    also: tuple[str, ...] = ()
    extra: bool = False
    default: int | float | None = None

    @property
    def rate(self) -> bool:
        """Whether it is a dropout rate: its size is of no size's making, and 0 where one counts."""
        return self.name == "dropout"

    @property
    def told(self) -> str:
        """The argument as a `def` names it."""
        return self.name if self.default is None else f"{self.name}={self.default}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer of the model answer that has weights.

    shape: its weight's, (out, in), or (width,) of a norm. also: the words by which people
    call it. bias: whether one of a submission's counts; both may be without. extra: the
    model answer has it not, and a mistake may, or a form of it that is right. optional: a
    submission may be without it, and is judged as if it were the identity. inside: the layer in
    which the model answer stacks it with others. meets: the layer
    whose features this one's are multiplied with, head by head, or takes up again; both have
    them in one order. begins: the number that its weights are as the object is made, None where
    nothing is said of it. gain: whether it is what normed features are multiplied with, as a vector
    is where nothing else is said.
    """

    name: str
    shape: tuple[str, ...]
    also: tuple[str, ...] = ()
    bias: bool = True
    extra: bool = False
    optional: bool = False
    inside: str = ""
    meets: str = ""
    begins: float | None = None
    gain: bool = False

    def sized(self, sizes: Mapping[str, Any]) -> tuple[int, ...]:
        """Return its weight's shape at these sizes."""
        return tuple(worth(axis, sizes) for axis in self.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """How an object is made, and what weights the model answer has.

    dropout: the model answer's steps that dropout may act on, beside the weights.
    """

    settings: tuple[Setting, ...]
    layers: tuple[Layer, ...]
    dropout: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[Layer, ...]:
        """The layers that the model answer has."""
        return tuple(layer for layer in self.layers if not layer.extra)

    @property
    def stacks(self) -> dict[str, tuple[str, ...]]:
        """The model answer's layers that hold several, with what they hold."""
        names = dict.fromkeys(layer.inside for layer in self.own if layer.inside)
        return {
            name: tuple(layer.name for layer in self.own if layer.inside == name) for name in names
        }

    @property
    def texts(self) -> list[str]:
        """Every sum in it."""
        return [*(setting.value for setting in self.settings), *self.shapes]

    @property
    def symbols(self) -> set[str]:
        """The symbols of the sizes that an object is made for."""
        return {symbol for text in self.texts for symbol in names(text)}

    @property
    def shapes(self) -> list[str]:
        """The sums that are sizes of its weights."""
        return [axis for layer in self.layers for axis in layer.shape]

    def worth(self, sizes: Mapping[str, Any]) -> dict[str, Any]:
        """What the model answer is made with at these sizes."""
        return {one.name: worth(one.value, sizes) for one in self.settings if not one.extra}

    def signature(self, name: str) -> str:
        """How the object is made, as one writes it."""
        said = (one for one in self.settings if not one.extra or one.default is not None)
        return f"{name}({', '.join(one.told for one in said)})"


_SETTING_KEYS = {"name", "value", "also", "extra", "default"}
_LAYER_KEYS = {
    "name", "shape", "also", "bias", "extra", "meets", "optional", "inside", "begins", "gain",
}  # fmt: skip


def read_module(where: str, row: Mapping[str, Any]) -> Module | None:
    """Read what a class is made with; None for a function. Raise BadContract."""
    if "setting" not in row and "layer" not in row:
        return None
    settings, layers = row.get("setting", ()), row.get("layer", ())
    if not settings or not layers:
        raise BadContract(f"{where}: a class needs settings and layers")
    for one in settings:
        only(f"{where}, setting {one.get('name', '')}", one, _SETTING_KEYS)
    for one in layers:
        only(f"{where}, layer {one.get('name', '')}", one, _LAYER_KEYS)
        if one.get("meets", one["name"]) not in {other["name"] for other in layers}:
            raise BadContract(f"{where}, layer {one['name']}: meets {one['meets']}, which is none")
        if len(one.get("shape", ())) not in {1, 2}:
            raise BadContract(
                f"{where}, layer {one.get('name', '')}: its shape has one axis or two"
            )
    return Module(
        dropout=tuple(row.get("dropout", ())),
        settings=tuple(
            Setting(
                name=one["name"], value=str(one.get("value", "")), also=tuple(one.get("also", ())),
                extra=one.get("extra", False), default=one.get("default"),
            )
            for one in settings
        ),
        layers=tuple(
            Layer(
                name=one["name"], shape=tuple(str(axis) for axis in one["shape"]),
                also=tuple(one.get("also", ())), bias=one.get("bias", True),
                extra=one.get("extra", False), meets=one.get("meets", ""),
                optional=one.get("optional", False), inside=one.get("inside", ""),
                begins=one.get("begins"), gain=one.get("gain", len(one["shape"]) == 1),
            )
            for one in layers
        ),
    )  # fmt: skip


def only(where: str, row: Mapping[str, Any], known: set[str]) -> None:
    """Raise BadContract where a table has a key that is not known."""
    for key in row:
        if key not in known:
            raise BadContract(
                f"{where}: there is no key `{key}`; known are {', '.join(sorted(known))}"
            )
