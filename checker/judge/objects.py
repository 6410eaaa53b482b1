"""Which class of a file is meant, and how an object of it is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from typing import Any

from torch import Tensor

from ...kata.arithmetic import worth
from ...kata.catalogue import Contract
from ...kata.functions import Function
from ...kata.modules import Module, Setting
from ..process.answers import Entry, Field, Global, Try
from ..process.requests import Config, Device, Dtype, ObjectRecipe, Worth
from ..vocabulary import constructor_role, words
from .configured import Filling, fillings
from .find import ways
from .making import global_roles, plans, role_of, switched_on

__all__ = ["LONGEST", "Construction", "chosen", "constructions", "how_far"]

# The length that objects are made for, where the kata says nothing of it.
LONGEST = 512
# No rate that anybody writes down, so that a fixed one is told from the one asked for.
_ASKED_RATE = 0.37
# What is worth something without being asked for, by what a constructor may mean.
_GIVEN: dict[str, Worth] = {
    "length": LONGEST, "dropout": _ASKED_RATE, "bias": True, "causal": True, "batch": 2,
    "vocabulary": 17, "layers": 1,
    "eps": 1e-5, "device": Device(), "dtype": Dtype(name="float32"),
    "yes": True, "flag": False,
}  # fmt: skip


def chosen(
    function: Function, classes: Sequence[Entry], wanted: str | None, uses: dict[str, set[str]]
) -> Entry | None:
    """Say which class is the one asked for, as far as that is clear.

    wanted: the name given with `--class`. uses: the names that each class's source mentions.
    """
    entries = classes
    names = [function.name, *function.also] if wanted is None else [wanted]
    named = [one for name in names for one in entries if one.name == name]
    if named or wanted is not None:
        return named[0] if named else None
    usable = [one for one in entries if one.arguments is not None]
    usable = [one for one in usable if one.module] or usable
    if len(usable) == 1:
        return usable[0]
    alike = {"".join(words(str(one.name))): one for one in usable}
    asked = ["".join(words(name)) for name in (function.name, *function.also)]
    near = [alike[match] for name in asked
            for match in get_close_matches(name, alike, n=1, cutoff=0.8)]  # fmt: skip
    if near:
        return near[0]
    below: set[str] = set()
    for one in usable:
        below.update(one.bases or (), uses.get(str(one.name), set()) - {str(one.name)})
    tops = [one for one in usable if one.name not in below]
    fitting = [one for one in tops if _makes(function, one)] or tops
    return fitting[0] if len(fitting) == 1 else None


def _makes(function: Function, entry: Entry) -> bool:
    """Whether a class could be made and called as the one asked for."""
    assert function.module is not None
    settings = function.module.settings
    needed = {one.name for one in settings if not one.extra and one.default is None}
    plan = next(constructions(function.module, entry), None)
    given = {source for _, kind, source in plan.arguments if kind == "setting"} if plan else set()
    able = next(ways(function, entry), None) is not None
    return able and (needed <= given or (plan is not None and plan.configured))


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction:
    """One way to make an object: each argument with what it gets, by place where it must be.

    arguments: (name, "setting", which), (name, "role", which) or (name, "config", annotation).
    fields: those of its configuration, as arguments, where their names do not say what they are.
    read: what its configuration holds, as far as that is known.
    globals: numbers in the file's globals, each with the role whose worth it gets, "" for its own.
    switched: switches of a causal mask that are off by default. still: as in a recipe.
    """

    name: str
    module: Module
    arguments: tuple[tuple[str, str, str], ...]
    placed: tuple[str, ...] = ()
    fields: tuple[tuple[str, str, str], ...] = ()
    read: tuple[Field, ...] = ()
    globals: tuple[tuple[Global, str], ...] = ()
    causal: bool = True
    switched: tuple[str, ...] = ()
    still: tuple[str, ...] = ()

    @property
    def configured(self) -> bool:
        """Whether its sizes come in one object."""
        return any(kind == "config" for _, kind, _ in self.arguments)

    @property
    def lacking(self) -> list[str]:
        """The settings that have to be told and that no argument takes."""
        given = {source for _, _, source in self.arguments}
        if self.configured or "spread" in given:
            return []
        needed = [one for one in self.module.settings if not one.extra and one.default is None]
        return [one.name for one in needed if not one.rate and one.name not in given]

    @property
    def asked_rate(self) -> float | None:
        """The dropout rate that it is given, None where it takes none."""
        given = (*self.arguments, *self.fields)
        asked = {source for _, kind, source in given if kind == "role"}
        asked |= {role for _, role in self.globals}
        if self.configured:
            asked |= {constructor_role(one.name, config=True) for one in self.read}
        takes = "dropout" in asked
        return _ASKED_RATE if takes else None

    def recipe(self, sizes: dict[str, Any], *, silent: bool = False) -> ObjectRecipe:
        """How the candidate's process makes the object at these sizes. silent: at a rate of 0."""
        settings = [one for one in self.module.settings if not one.rate]
        known = {one.name: worth(one.value, sizes) for one in settings}
        roles = _GIVEN | {"causal": self.causal} | ({"dropout": 0.0} if silent else {})
        for one in settings:
            role = constructor_role(one.name)
            if role is not None and (role not in roles or role == "length"):
                roles[role] = known[one.name]
        plain = [one for one in settings if not one.extra or one.default is None]
        # One's own name is another's synonym: a block's `hidden_dim` is an MLP's width to some.
        for one in sorted(plain, key=lambda one: not one.extra):
            roles |= {f"={name}": known[one.name] for name in one.also}
        roles |= {f"={one.name}": known[one.name] for one in plain}
        # One head is as wide as all, and keys have as many heads as queries.
        roles = {"heads": 1, "head_dim": roles.get("width"), **roles}
        roles = {"kv_heads": roles["heads"], "inner": roles["head_dim"], **roles}
        own = {f"={one.name}": one.default for one in self.read if _stays(one)}
        roles = own | roles
        for name, kind, source in self.fields:
            roles[f"={name}"] = known[source] if kind == "setting" else roles[source]
        kwargs: dict[str, Config | Worth] = {}
        spread = any(source == "spread" for _, _, source in self.arguments)
        for name, kind, source in self.arguments if not spread else ():
            kwargs[name] = (
                known[source] if kind == "setting"
                else Config(annotation=source) if kind == "config" else roles[source]
            )  # fmt: skip
        args = [kwargs.pop(name) for name in self.placed if name in kwargs]
        return ObjectRecipe(
            name=self.name, args=args, kwargs=kwargs, roles=roles, spread=spread, still=self.still,
            globals={
                one.name: self._worth(one.value, role, roles) if role else one.value
                for one, role in self.globals
            },
        )  # fmt: skip

    def _worth(self, own: float, role: str, roles: dict[str, Any]) -> Worth:
        """What a number of the file gets; a longest length that nobody tells may be longer."""
        told = role in {constructor_role(one.name) for one in self.module.settings}
        return max(own, roles[role]) if role == "length" and not told else roles[role]


def constructions(
    module: Module, entry: Entry, contract: Contract | None = None, sizes: Sequence[Global] = ()
) -> Iterator[Construction]:
    """Yield ways to make an object: by name, synonym and meaning, then by order alone.

    contract: of attention, by whose roles a class of the ladder is made. sizes: numbers in the
    module's globals that its functions read.
    """
    if contract is not None:
        yield from _of_attention(module, entry, contract, sizes)
        return
    signature = entry.constructor or []
    named = [one for one in signature if not one.kind.startswith("VAR_")]
    placed = tuple(one.name for one in named if one.kind == "POSITIONAL_ONLY")
    asked = [one for one in module.settings if not one.extra and not one.rate]
    found: list[Filling] = []
    if not named and any(one.kind == "VAR_KEYWORD" for one in signature):
        found.append(tuple((one.name, "setting", one.name) for one in asked))
        # What it reads by other names than the kata's, a configuration among them.
        found.append((("", "role", "spread"),))
    elif not named and any(one.kind == "VAR_POSITIONAL" for one in signature):
        placed = tuple(one.name for one in asked)
        found.append(tuple((one.name, "setting", one.name) for one in asked))
    else:
        found.append(_by_meaning(module, named))
        # One setting's name may be another's synonym: `hidden_dim` is an MLP's width to some.
        found.append(_by_meaning(module, named, turned=True))
        by_order = zip(named, asked, strict=False)
        found.append(tuple((own.name, "setting", one.name) for own, one in by_order))
        if any(one.kind == "VAR_KEYWORD" for one in signature):
            # What has no argument goes on to somebody else, who takes all or what must be told.
            needed = [one for one in asked if one.default is None]
            more = [_with_the_rest(plan, some) for some in (asked, needed) for plan in found[:2]]
            found = [*more, *found] if more[0] != found[0] else found
    read = _read(entry)

    def taking(fields: Sequence[Field]) -> list[Filling]:
        by_order = zip(fields, asked, strict=False)
        return [
            _by_meaning(module, fields), _by_meaning(module, fields, turned=True),
            tuple((own.name, "setting", one.name) for own, one in by_order),
        ]  # fmt: skip

    config = next((one for one in found[0] if one[1] == "config"), None)
    ways_to_fill = fillings(entry, config[0], taking) if config is not None else [()]
    for filling in ways_to_fill:
        some = [(config,)] if config is not None and filling else [*dict.fromkeys(found)]
        for given, plan in product(global_roles(sizes, {"length"}), some):
            yield Construction(
                name=entry.name, module=module, arguments=plan, placed=placed, fields=filling,
                read=read, globals=given,
            )  # fmt: skip


def _read(entry: Entry) -> tuple[Field, ...]:
    """What is known to be in a class's configuration."""
    return tuple(field for one in entry.constructor or () for field in one.fields)


def _stays(own: Field) -> bool:
    """Whether a setting that need not be told keeps what the file has for it."""
    if isinstance(own.default, str):
        # What is neither a word nor a number is told by its kind.
        return own.default[:1] != "<"
    known = constructor_role(own.name, config=True) in {None, "bias", "eps", "flag"}
    return known and own.has_default and own.default is not None


def _with_the_rest(
    plan: tuple[tuple[str, str, str], ...], asked: Sequence[Setting]
) -> tuple[tuple[str, str, str], ...]:
    """A plan, and by its own name each setting asked for that it has not."""
    told = {source for _, _, source in plan}
    rest = [one.name for one in asked if one.name not in told]
    return (*plan, *((name, "setting", name) for name in rest))


def _of_attention(
    module: Module, entry: Entry, contract: Contract, sizes: Sequence[Global]
) -> Iterator[Construction]:
    signature = entry.constructor or []
    annotations = {one.name: one.annotation for one in signature}
    wanted = {"width", "heads", "head_dim", "length", "dropout"}
    found = plans(signature, contract)
    configs = [name for name, role in (found[0] if found else ()) if role == "config"]

    def taking(fields: Sequence[Field]) -> list[Filling]:
        return [tuple((n, "role", r) for n, r in plan) for plan in plans(fields, contract)]

    ways = fillings(entry, configs[0], taking) if configs else [()]
    for fields, given, plan in product(ways, global_roles(sizes, wanted), found):
        yield Construction(
            name=entry.name,
            module=module,
            arguments=tuple(
                (name, "config", annotations.get(name, "")) if role == "config"
                else (name, "role", role)
                for name, role in plan
            ),
            placed=tuple(one.name for one in signature if one.kind == "POSITIONAL_ONLY"),
            fields=fields,
            read=_read(entry),
            globals=given,
            causal=contract.causal,
            switched=switched_on(plan, signature) if contract.causal else (),
        )  # fmt: skip


def _by_meaning(
    module: Module, named: Sequence[Field], *, turned: bool = False
) -> tuple[tuple[str, str, str], ...]:
    """Give each argument a setting. turned: of two synonyms the later is meant."""
    given: dict[str, tuple[str, str]] = {}
    # A rate is given as such, whatever its name.
    left = [one for one in module.settings if not one.rate]

    single = [one for one in named if role_of(one) != "config"]

    def give(own: Field, setting: Setting) -> None:
        given[own.name] = ("setting", setting.name)
        if not setting.extra:
            # A width that is not asked for may be asked for twice, as `d_k` and `d_v`.
            left.remove(setting)

    for test in (_synonym, _role, _default) if turned else (_exactly, _synonym, _role, _default):
        for own in single:
            if own.name in given:
                continue
            ordered = left[::-1] if turned else left
            setting = next((one for one in ordered if test(one, own)), None)
            if setting is not None and not (setting.extra and own.has_default):
                give(own, setting)
    for own in named:
        if own.name in given:
            continue
        role = role_of(own)
        if role == "config" and not (own.has_default and given):
            given[own.name] = ("config", own.annotation)
        elif role in _GIVEN and (not own.has_default or _rate(role, own) or _longest(role, own)):
            given[own.name] = ("role", str(role))
        elif role == "width" and not own.has_default and ("width" in _roles_of(given)):
            # A second width, as `d_out` beside `d_in`, is as wide.
            given[own.name] = ("role", "width")
    configured = any(kind == "config" for kind, _ in given.values())
    free = [one for one in single if one.name not in given]
    # Those that have to be told first, then whatever may be a size by its default.
    free = [one for one in free if not one.has_default] + [
        one for one in free if type(one.default) is int and one.default > 0
        and constructor_role(one.name) is None
    ]  # fmt: skip
    rest = [] if configured else [one for one in left if not one.extra]
    for own, setting in zip(free, rest, strict=False):
        # What has a default of its own and a value of its own is something else.
        if setting.default is None or not own.has_default:
            give(own, setting)
    order = [one.name for one in named]
    return tuple((name, *given[name]) for name in sorted(given, key=order.index))


def _roles_of(given: dict[str, tuple[str, str]]) -> set[str | None]:
    """The roles of the settings that arguments were given."""
    return {constructor_role(source) for kind, source in given.values() if kind == "setting"}


def _rate(role: str | None, own: Field) -> bool:
    """Whether an argument with a default is a dropout rate: a float from 0 to 1."""
    default = own.default
    return role == "dropout" and type(default) is float and 0 <= default <= 1


def _longest(role: str | None, own: Field) -> bool:
    """Whether an argument with a default is the longest length: whoever goes beyond sets it."""
    return role == "length" and type(own.default) is int


def _exactly(setting: Setting, own: Field) -> bool:
    return setting.name == own.name


def _synonym(setting: Setting, own: Field) -> bool:
    names = (setting.name, *setting.also)
    return "".join(words(own.name)) in {"".join(words(name)) for name in names}


def _role(setting: Setting, own: Field) -> bool:
    role = constructor_role(own.name)
    return role is not None and role == constructor_role(setting.name)


def _default(setting: Setting, own: Field) -> bool:
    """Whether an argument whose name says nothing is, unless told, what the setting is."""
    number = type(own.default) in {int, float} and own.default == setting.default
    return own.has_default and number and constructor_role(own.name) in {None, "flag"}


def how_far(answer: Try) -> int:
    """How far a way to make and call an object came: 0 is an output of the shape asked for."""
    if answer.phase == "construct":
        return 4
    if answer.phase == "forward":
        return 3
    if answer.fits:
        return 0
    return 1 if isinstance(answer.answer.out, Tensor) else 2
