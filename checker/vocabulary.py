"""What people call things: argument names and parameter names, read as roles.

The lists come from reading some hundred public implementations. A name proposes a
role; whether it holds is for the judge to try. Standard library only, since both
the judge and the candidate's process read names.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["constructor_role", "foreign", "forward_role", "layer_role", "words"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_EXACT_CONSTRUCTOR = {
    "h": "heads",
    "H": "heads",
    "M": "heads",
    "nh": "heads",
    "n_h": "heads",
    "nhead": "heads",
    "nheads": "heads",
    "num_heads": "heads",
    "p": "dropout",
    "prob": "dropout",
    "T": "length",
    "L": "length",
    "B": "batch",
    "d_k": "inner",
    "d_v": "inner",
    "d_q": "inner",
    "dk": "inner",
    "dv": "inner",
    "dq": "inner",
    "dim_k": "inner",
    "dim_v": "inner",
    "dim_q": "inner",
    "key_dim": "inner",
    "value_dim": "inner",
    "k_dim": "inner",
    "v_dim": "inner",
    "qk_dim": "inner",
    "d_key": "inner",
    "d_value": "inner",
    "d_qk": "inner",
    "inner_dim": "width",
    "inner": "width",
    "head": "heads",
    "mask": "causal",
    "masked": "causal",
    "causal": "causal",
    "is_causal": "causal",
    "is_decoder": "flag",
    "batch_first": "yes",
    "config": "config",
    "cfg": "config",
    "conf": "config",
    "args": "config",
    "hparams": "config",
    "hp": "config",
    "params": "config",
    "opt": "config",
    "options": "config",
    "settings": "config",
    "model_args": "config",
}

_WIDTH_WORDS = {
    "dim", "dims", "embd", "embed", "emb", "embedding", "embeddings", "hidden", "hiddens",
    "model", "dmodel", "width", "features", "feature", "channels", "units", "size", "d", "c",
    "e", "k", "in", "out", "input", "output", "dimension", "dimensions", "hid", "feat", "nx",
    "kdim", "vdim", "qdim", "n_embd", "nembd", "hdim", "edim", "din", "dout", "dinput", "dmod",
}  # fmt: skip
_LENGTH_WORDS = {
    "len", "length", "block", "context", "ctx", "seq", "seqlen", "maxlen", "positions",
    "position", "tokens", "timesteps", "sequence", "lens", "lengths", "npositions", "nctx",
    "n_ctx", "blocksize", "steps", "seq_len", "max_len",
}  # fmt: skip
_SIZE_WORDS = {"dim", "dims", "size", "width", "d", "features", "channels", "embd", "dimension"}
_RATE_WORDS = {"prob", "rate"}
_DROP_WORDS = {"dropout", "drop", "pdrop", "dropouts", "dropprob", "droprate", "dp"}


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """Split an identifier into lower-case words: `numAttentionHeads`, `num_attention_heads`."""
    spaced = _CAMEL.sub("_", name).replace(".", "_")
    return tuple(word for word in re.split(r"[_\W]+", spaced.lower()) if word)


@lru_cache(maxsize=4096)
def constructor_role(name: str, *, config: bool = False) -> str | None:
    """Say what a constructor argument asks for, or None where the name says nothing.

    Roles: width, heads, kv_heads, head_dim, inner (a key or value width, per head or
    total), length, dropout, bias, causal, batch, vocabulary, layers, device, dtype, eps
    (of a norm), config, yes (a switch that must be on) and flag (one to leave alone).
    config: the name is an attribute of a configuration object, where short names such
    as `args` mean nothing special.
    """
    bare = name.strip("_")
    if bare in _EXACT_CONSTRUCTOR:
        role = _EXACT_CONSTRUCTOR[bare]
        return None if config and role == "config" else role
    parts = words(bare)
    have = set(parts)
    # Each row: the words that must meet the name, and the role then. First match wins.
    if have & _DROP_WORDS or (have & _RATE_WORDS and "keep" not in have):
        return "dropout"
    if "device" in have:
        return "device"
    if "dtype" in have:
        return "dtype"
    if "config" in have or "cfg" in have:
        return None if config else "config"
    if "bias" in have:
        return "bias"
    if have & {"causal", "autoregressive", "masked", "lookahead"} or parts == ("use", "mask"):
        return "causal"
    if "vocab" in have or "vocabulary" in have:
        return "vocabulary"
    if "batch" in have:
        return "batch"
    if have & {"head", "heads", "nhead", "nheads", "headdim", "headsize"}:
        if "headdim" in have or "headsize" in have or have & _SIZE_WORDS or "per" in have:
            return "head_dim"
        return "kv_heads" if have & {"kv", "group", "groups"} else "heads"
    if have & {"group", "groups"}:
        # As many as there are heads of keys, unless it is how large one is.
        return None if have & _SIZE_WORDS else "kv_heads" if have & {"kv", "n", "num"} else None
    if have & {"eps", "epsilon"}:
        # Before `layer_norm_eps` is taken for a number of layers.
        return "eps"
    if have & {"layer", "layers", "depth"}:
        return "layers"
    if have & {"row", "col", "axis", "axes", "column"}:
        return "flag"
    if have & {"theta", "scale", "seed", "temperature", "init", "std"}:
        return "flag"
    if "window" in have and not have & _LENGTH_WORDS:
        # Of a sliding window, which no class is asked for.
        return None
    if {"block", "blocks"} & have and have & _TILED:
        # What is worked through at a time, of sequences of any length.
        return None
    if have & _LENGTH_WORDS:
        return "width" if have & {"dim", "dims", "embd", "embed", "width", "channels"} else "length"
    if have & _WIDTH_WORDS:
        return "width"
    return None


_TILED = {"q", "query", "queries", "k", "key", "keys", "kv", "value", "values", "rows"}
_QUERY = {"q", "query", "queries", "xq", "tgt", "target", "decoder", "dec", "latents", "latent"}
_KEY = {"k", "key", "keys", "xk"}
_VALUE = {"v", "value", "values", "xv", "val", "vals"}
_CONTEXT = {
    "context", "ctx", "cond", "memory", "mem", "encoder", "enc", "y", "kv", "source", "src",
    "other", "cross", "xkv", "condition", "conditioning", "z",
}  # fmt: skip
_PLAIN = {
    "x", "input", "inputs", "hidden", "states", "emb", "embeddings", "embedding", "tokens", "inp",
    "seq", "sequence", "embeds", "features", "data", "input1", "h", "e", "word",
}  # fmt: skip


def forward_role(name: str) -> str | None:
    """Say what a forward argument asks for.

    Roles: x, query, key, value, context (one source of both keys and values), mask,
    padding (a key padding mask), lengths, causal (a switch), or None.
    """
    have = set(words(name))
    if have & {"causal"} and "mask" not in have:
        return "causal"
    if "mask" in have or "masks" in have or name.lower() in {"msk", "m", "attnmask"}:
        return "padding" if "padding" in have or "pad" in have else "mask"
    if have & {"lens", "lengths", "len", "length"}:
        return "lengths"
    if have & {"padding", "pad"}:
        return "padding"
    if {"key", "value"} <= have or {"k", "v"} <= have:
        return "context"
    if have & _QUERY and not have & {"pos"}:
        return "query"
    for role, vocabulary in (("key", _KEY), ("value", _VALUE), ("context", _CONTEXT)):
        if have & vocabulary:
            return role
    return "x" if have & _PLAIN else None


_KEPT = {"cache", "caches", "past", "presents", "mems", "layerpast", "kvcache"}
_SWITCHES = {"use", "need", "needs", "return", "returns", "output", "outputs", "is", "with"}
_COUNTS = {"start", "offset", "step", "idx", "index", "pos", "position", "layer", "block", "head"}
_TABLES = {
    "freqs", "freq", "freqs_cis", "cos", "sin", "rope", "rotary", "alibi", "bias", "biases",
    "ids", "positions", "pe", "rel", "relative", "state", "dropout",
}  # fmt: skip

_POSITIONS = {"pos", "position", "positions", "positional"}


def foreign(name: str, annotation: str = "") -> str | None:
    """Say what a forward argument is that no kata asks for, or None where it may be one asked for.

    cache (what earlier calls kept), switch, count (a number, such as the first position) or
    table (of positions, of biases, a state).
    """
    parts = words(name)
    have = set(parts)
    if annotation in {"int", "float"}:
        return "count"
    if have & _KEPT:
        return "switch" if have & _SWITCHES or annotation == "bool" else "cache"
    if "mask" in have or "masks" in have or "causal" in have:
        return None
    if annotation == "bool" or (len(parts) > 1 and parts[0] in _SWITCHES - {"output", "outputs"}):
        return "switch"
    if parts[:2] in {("output", "attentions"), ("output", "weights"), ("output", "attention")}:
        return "switch"
    if have <= _COUNTS:
        return "count"
    if have & _POSITIONS:
        # Added to an input, and no input itself: `query_pos_emb`.
        return "table"
    plain = have & (_QUERY | _KEY | _VALUE | _CONTEXT | _PLAIN) - _TABLES
    return "table" if have & _TABLES and not plain else None


_LAYER_WORDS = {
    "q": {"q", "query", "queries", "qs"},
    "k": {"k", "key", "keys", "ks"},
    "v": {"v", "value", "values", "vs", "val"},
    "o": {"o", "out", "output", "res"},
}
# Names written in one piece: `wq`, `toq`, `linearq`.
_GLUE = ("w", "to", "lin", "linear", "proj", "fc", "weight", "x", "dense", "layer", "att", "attn")


def layer_role(name: str) -> str | None:
    """Return q, k, v or o where a parameter's name plainly says it, else None.

    The last part of a dotted name that says anything decides; a part that says two
    things (`qkv_proj`, `key_value`) says neither.
    """
    for part in reversed(name.split(".")):
        have = set(words(part))
        glued = "".join(words(part))
        said = {
            role
            for role, vocabulary in _LAYER_WORDS.items()
            if have & vocabulary
            or any(glued in (f"{g}{w}", f"{w}{g}") for g in _GLUE for w in vocabulary)
        }
        if len(said) == 1:
            return said.pop()
        if said:
            return None
    return None
