"""Which class of a file is meant for a kata."""

from __future__ import annotations

from dataclasses import dataclass

from ...kata.catalogue import Kata
from ..process.answers import Entry
from ..vocabulary import forward_role, words
from .making import role_of

__all__ = ["Choice", "choose"]

_TIERS = {"v1", "v2", "v3", "v4"}
_KATA_WORDS = {
    "v1": {"v1", "single", "simple", "simplified"},
    "v2": {"v2", "fused", "merged", "combined"},
    "v3": {"v3"},
    "v4": {"v4", "interview", "full", "final", "complete"},
    "mha": {"multi", "multihead", "mha", "multiheaded", "heads", "mhsa", "msa", "mhattention"},
    "causal": {"causal", "masked", "gpt", "decoder", "autoregressive", "lookahead"},
    "cross": {"cross", "encdec", "encoderdecoder", "xattn"},
}
_ATTENTION = {"attention", "attn", "att", "atten", "mha", "mhsa", "sdpa", "msa", "selfattention"}
_NOT_ATTENTION = {
    "block", "layer", "encoder", "decoder", "model", "gpt", "transformer", "mlp", "ffn",
    "feed", "forward", "norm", "embedding", "positional", "bert", "vit", "net", "dataset",
    "config", "patch", "residual", "tokenizer", "test", "loss", "swiglu", "gelu", "dropout",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The chosen class, with the others that fit; or None with those that could be meant."""

    chosen: Entry | None
    candidates: tuple[Entry, ...] = ()


def choose(
    kata: Kata, classes: list[Entry], wanted: str | None, uses: dict[str, set[str]]
) -> Choice:
    """Pick a class by `--class`, the stub's name, being the only one, or name and signature.

    uses: which names each class's own source mentions; of two classes that look alike
    the one that is built from the other is meant.
    """
    if wanted is not None:
        named = [entry for entry in classes if entry.name == wanted]
        return Choice(chosen=named[-1] if named else None, candidates=tuple(classes))
    usable = [entry for entry in classes if entry.arguments is not None]
    choice = _likeliest(kata, classes, usable, uses)
    if choice.chosen is None:
        return choice
    whole = _whole(kata, choice.chosen, usable, uses)
    if whole is choice.chosen:
        return choice
    others = (entry for entry in choice.candidates if entry is not whole)
    return Choice(chosen=whole, candidates=tuple(others))


def _likeliest(
    kata: Kata,
    classes: list[Entry],
    usable: list[Entry],
    uses: dict[str, set[str]],
) -> Choice:
    """By the stub's name, by being the only one, or by name and signature."""
    exact = [entry for entry in classes if entry.name == kata.names[0]]
    if exact:
        return Choice(chosen=exact[-1])
    modules = [entry for entry in usable if entry.module]
    pool = modules or [entry for entry in usable if _score(kata, entry) > 0]
    if len(pool) == 1:
        return Choice(chosen=pool[0])
    ranked = sorted(pool, key=lambda entry: _score(kata, entry), reverse=True)
    if not ranked:
        return Choice(chosen=None)
    best = _score(kata, ranked[0])
    if best <= 0 or best == _score(kata, ranked[1]):
        equal = [entry for entry in ranked if _score(kata, entry) == best]
        top = _outermost(equal, uses)
        if best > 0 and top is not None:
            return Choice(chosen=top, candidates=_others(top, ranked, kata, uses))
        return Choice(chosen=None, candidates=tuple(ranked))
    return Choice(chosen=ranked[0], candidates=_others(ranked[0], ranked, kata, uses))


def _whole(kata: Kata, chosen: Entry, usable: list[Entry], uses: dict[str, set[str]]) -> Entry:
    """The class that is built from the chosen one, where that is no more than a part of it.

    One head is a part of what takes the number of heads, and what takes no width one of what does.
    """
    roles = _asked(chosen)
    wanted = {"width", "heads"} if kata.contract.heads == "many" else {"width"}
    missing = set() if "config" in roles or chosen.constructor is None else wanted - roles
    if not missing:
        return chosen
    users = [
        entry
        for entry in usable
        if chosen.name in uses.get(entry.name, set()) - {entry.name}
        and chosen.name not in entry.bases
        # A configuration has them all.
        and (missing <= _asked(entry) or "config" in _asked(entry))
    ]
    # A block is built from attention too, and has more in it.
    users = [entry for entry in users if not _is_block(entry)]
    apt = [entry for entry in users if _score(kata, entry) > 0]
    if not apt and not roles & {"width", "heads", "head_dim", "inner"}:
        # It has no sizes at all: what it computes with is made elsewhere.
        apt = users
    return apt[-1] if apt else chosen


def _asked(entry: Entry) -> set[str | None]:
    """What a class's constructor asks for."""
    return {role_of(parameter) for parameter in entry.constructor or []}


def _is_block(entry: Entry) -> bool:
    have = set(words(entry.name))
    return bool(have & {"block", "model", "transformer"} or have & _NOT_ATTENTION - {"layer"})


def _outermost(entries: list[Entry], uses: dict[str, set[str]]) -> Entry | None:
    """The one entry that no other derives from or is built from."""
    below = _parts(entries, uses)
    tops = [entry for entry in entries if entry.name not in below]
    return tops[0] if len(tops) == 1 else None


def _others(
    chosen: Entry, ranked: list[Entry], kata: Kata, uses: dict[str, set[str]]
) -> tuple[Entry, ...]:
    """The classes beside the chosen one that look like attention too, and are no part of any."""
    below = _parts(ranked, uses)
    rest = [entry for entry in ranked if entry is not chosen and entry.name not in below]
    return tuple(entry for entry in rest if _score(kata, entry) > 0)


def _parts(entries: list[Entry], uses: dict[str, set[str]]) -> set[str]:
    """The names of what entries derive from or are built from."""
    below: set[str] = set()
    for entry in entries:
        below.update(entry.bases)
        below.update(uses.get(entry.name, set()) - {entry.name})
    return below


def _score(kata: Kata, entry: Entry) -> float:
    """How much a class looks like what the kata asks for; 0 or less: not at all."""
    name = words(entry.name)
    have = set(name) | {"".join(name)}
    glued = "".join(name)
    score = 0.0
    if have & _ATTENTION or any(w in glued for w in ("attention", "attn", "selfatt")):
        score += 4
    if have & _NOT_ATTENTION:
        score -= 3
    own = _KATA_WORDS.get(kata.id, {kata.id})
    if have & own or any(len(word) > 3 and word in glued for word in own):
        score += 4
    for other, tags in _KATA_WORDS.items():
        if other != kata.id and have & tags:
            score -= 2 if other in _TIERS or kata.id in _TIERS else 0.5
    return score + _fit(kata, entry)


def _fit(kata: Kata, entry: Entry) -> float:
    """How well a class's signatures fit the kata's."""
    forward = [p for p in entry.arguments or () if p.kind not in {"VAR_POSITIONAL", "VAR_KEYWORD"}]
    roles = {forward_role(parameter.name) for parameter in forward}
    score = 0.0
    if kata.contract.masks and ("mask" in roles or "padding" in roles):
        score += 1
    if kata.contract.source == "cross":
        score += 2 if roles & {"context", "key"} else -2
    elif "context" in roles:
        score -= 1
    heads = any("head" in p.name.lower() or p.name == "h" for p in entry.constructor or [])
    if kata.contract.heads == "many":
        score += 2 if heads else 0
    elif heads:
        score -= 1
    return score
