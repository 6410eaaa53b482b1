"""What a parameter's name says: which layers it holds, and whether it is a weight or a bias."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ....kata.modules import Layer
from ...vocabulary import words

__all__ = [
    "biases_of", "block_of", "is_bias", "is_second", "said_by", "stands_beside", "unsaid",
]  # fmt: skip

_GLUE = ("w", "to", "lin", "linear", "proj", "fc", "weight", "x", "dense", "layer", "att", "attn")
_BIAS = {"bias", "biases", "b", "beta", "shift", "offset"}
_WEIGHT = {"weight", "weights", "w", "a", "g", "gain", "gamma", "scale", "alpha"}
# What belongs to what where one number stands behind several: `w1, b1, gamma1, beta1`.
_PAIRED = {"beta": {"gamma", "alpha"}, "shift": {"scale", "gain"}}
# A word for a bias, or its letter, that begins or ends what it stands in.
_SAID = "|".join(sorted(_BIAS, key=len, reverse=True))
_BESIDE = re.compile(rf"(?<![a-zA-Z])(?:{_SAID})|(?:{_SAID})(?![a-zA-Z])")


def biases_of(
    names: tuple[str, ...], held: tuple[str, ...], biases: Sequence[str], layers: Sequence[Layer],
    weights: Iterable[str],
) -> tuple[str, ...]:  # fmt: skip
    """The biases that belong to weights: of the same layer, or named for what they do.

    weights: all there are. A bias of the same layer as another of them is that one's alone.
    """
    found = tuple(one for name in names for one in _twins(name, biases))
    found = found or tuple(one for name in names for one in _alone(name, biases, weights))
    if found:
        return found
    return tuple(one for one in biases if any(name.startswith(_leaf(one)[0]) for name in names)
                 and said_by(one, layers) == held
                 and not any(one in _twins(weight, biases) for weight in weights))  # fmt: skip


def _twins(name: str, biases: Sequence[str]) -> list[str]:
    """The biases whose names are this weight's but for the word; of several those that pair."""
    found = [one for one in biases if _twin(one) == _twin(name)]
    kept = [one for one in found if _pair(one) == _pair(name)]
    second = [one for one in biases if _first(one) == name]
    beside = [one for one in biases if _bare(name) in _firsts(one)]
    return kept if len(found) > 1 and kept else found or second or beside


def _alone(name: str, biases: Sequence[str], weights: Iterable[str]) -> list[str]:
    """The bias whose name says nothing, of a weight beside which its module has nothing else."""
    owner = _leaf(name)[0]
    beside = [one for one in biases if _leaf(one)[0] == owner]
    others = [one for one in weights if _leaf(one)[0] == owner and one != name]
    told = others or len(beside) != 1 or {*_parts(_leaf(beside[0])[1])} & _BIAS
    return [] if told or not owner else beside


def stands_beside(weight: str, other: str) -> bool:
    """Whether a name says of a weight that it is one, and another another word in its place."""
    (mine, own), (theirs, leaf) = _leaf(weight), _leaf(other)
    pairs = [*zip(_parts(own), _parts(leaf), strict=False)]
    apart = [(word, else_) for word, else_ in pairs if word != else_]
    whole = mine == theirs and len(_parts(own)) == len(_parts(leaf)) == len(pairs)
    return whole and len(apart) == 1 and apart[0][0] in _WEIGHT and apart[0][1].isalpha()


def _first(name: str) -> str:
    """What stands before a parameter in a list of pairs, "" where none does."""
    owner, _, number = name.rpartition(".")
    return f"{owner}.{int(number) - 1}" if number.isdigit() and int(number) % 2 else ""


def _firsts(name: str) -> set[str]:
    """What weights may be called if this is their bias: `bf` stands beside `gf` or `f`."""
    found = _BESIDE.finditer(name)
    cut = [(name[: word.start()], name[word.end() :]) for word in found]
    return {_bare(f"{before}{word}{after}") for before, after in cut for word in ("", *_WEIGHT)}


def _bare(name: str) -> str:
    return name.replace("_", "")


def is_second(name: str, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a parameter is the second of a pair: a weight and its bias, in a list or by name.

    Or it stands behind the one other that its module has, which is as large.
    """
    firsts = [one for one in shapes if one == _first(name) or _bare(one) in _firsts(name)]
    beneath = [one for one in shapes if _leaf(one)[0] == _leaf(name)[0] != ""]
    if len(beneath) == 2 and beneath[1] == name and not firsts:
        return shapes[name] == shapes[beneath[0]]
    return any({*shapes[name]} <= {*shapes[one]} for one in firsts if one != name)


def unsaid(names: Sequence[str], many: int) -> list[str]:
    """Those beside as many norms' weights, called so, that no word says to be biases: `g1, c1`."""
    rest = [name for name in names if not {*_parts(_leaf(name)[1])} & _WEIGHT]
    return rest if len(names) == 2 * len(rest) == 2 * many else []


def _pair(name: str) -> str:
    """Which of the pairs of words a weight's or bias's name is from, "" for none."""
    own = set(_parts(_leaf(name)[1]))
    return next((bias for bias, weights in _PAIRED.items() if own & {bias, *weights}), "")


def _twin(name: str) -> str:
    """A parameter's name without what says whether it is a weight or a bias."""
    owner, leaf = _leaf(name)
    return f"{owner}.{'_'.join(w for w in _parts(leaf) if w not in _BIAS | _WEIGHT)}"


def _leaf(name: str) -> tuple[str, str]:
    """Who holds a parameter, and its own name; one of a list is called as the list is, `b_0`."""
    owner, _, leaf = re.sub(r"\.([0-9]+)$", r"_\1", name).rpartition(".")
    return owner, leaf


def _parts(name: str) -> list[str]:
    """A name's words, numbers apart: `beta1` and `b_1` are the same."""
    return [part for word in words(name) for part in re.findall(r"[^0-9]+|[0-9]+", word)]


def is_bias(name: str, axes: int, layers: Sequence[Layer]) -> bool:
    """Whether a parameter of so many axes is a layer's bias, by its name."""
    parts = _parts(_leaf(name)[1])
    if axes > 2 or (axes == 2 and _token("".join(parts), layers)):
        # The b of a second projection, as in `kv_b`, is none.
        return False
    if set(parts) & _BIAS:
        return True
    glued = "".join(part for part in parts if not part.isdigit())
    return glued[:1] == "b" and bool(_token(glued[1:], layers))


def said_by(name: str, layers: Sequence[Layer]) -> tuple[str, ...]:
    """The layers that a parameter's name speaks of, in the order in which it does."""
    for part in reversed(name.split(".")):
        tokens = words(part)
        whole = _token("".join(tokens), layers)
        said = whole or tuple(dict.fromkeys(one for t in tokens for one in _token(t, layers)))
        if said:
            return tuple(_numbered(one, name, layers) for one in said)
    return ()


@lru_cache(maxsize=4096)
def block_of(name: str) -> str:
    """The number of the block that a name belongs to: the first that stands alone, "" for none."""
    return next((part for part in name.split(".") if part.isdigit()), "")


def _numbered(said: str, name: str, layers: Sequence[Layer]) -> str:
    """Of layers in blocks that are alike, the one of the block that a name belongs to."""
    leaf, block = said.rpartition(".")[2], block_of(name)
    alike = [one.name for one in layers if one.name.rpartition(".")[2] == leaf]
    return next((one for one in alike if block_of(one) == block), said)


def _token(token: str, layers: Sequence[Layer]) -> tuple[str, ...]:
    """The layers that one word names: one by its whole, several by their letters (`qkv`)."""
    bare = {token, *(token.removeprefix(g) for g in _GLUE), *(token.removesuffix(g) for g in _GLUE)}
    for layer in layers:
        if bare & {"".join(words(word)) for word in (layer.name, *layer.also)}:
            return (layer.name,)
    letters = {word: layer.name for layer in layers for word in layer.also if len(word) == 1}
    for one in sorted(bare, key=len):
        if len(one) > 1 and set(one) <= set(letters) and len(set(one)) == len(one):
            return tuple(letters[letter] for letter in one)
    return ()
