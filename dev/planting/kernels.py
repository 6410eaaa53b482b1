"""Ways to get Triton's kernels wrong. Rows are as in `programs`. Standard library only."""

from __future__ import annotations

from .programs import Row, by_pattern

__all__ = ["KERNELS"]

_INF = r'-?float\("-?inf"\)'
# A mask of lanes, and what the others hold.
_MASK = r", mask=.+?"
_OTHER = rf", other=(?:{_INF}|0\.0)"
# What lies along one axis of a tile: `columns[None, :]`, `(start + lanes)[None, :]`.
_LANES = r"(?:\w+|\([^()]+\))(?:\[[^\]]+\])?"
_ACCESS: tuple[Row, ...] = (
    ("load-unmasked", rf"(load\(.+?){_MASK}{_OTHER}\)", r"\1)"),
    ("store-unmasked", rf"^(tl\.store\(.+){_MASK}\)$", r"\1)"),
    ("padding-as-zero max-from-zero", rf"(load\(.+), other={_INF}\)", r"\1, other=0.0)"),
    ("padding-as-zero max-from-zero", rf"(load\(.+), other={_INF}\)", r"\1)"),
    ("stride-ignored", r" \* (?:\w*_col_stride|column_stride|stride_sn|s1)\b", ""),
    ("columns-unwritten", r"arange\(0, \w+\)", "arange(0, 8)"),
    ("columns-unwritten", r"arange\(0, \w+\)", "arange(0, 64)"),
    ("grid-too-small", r"triton\.cdiv\((\w+), (\w+)\)", r"\1 // \2"),
    ("grid-too-small", r"triton\.cdiv\((\w+), (\w+)\)", r"max(1, \1 // \2)"),
    ("grid-too-small", r"^(grid.* = \(triton\.cdiv\(.+\)), \w+\)$", r"\1, 1)"),
    ("grid-too-small", r"^(grid.* = )\(\w+, (triton\.cdiv\(.+\))$", r"\1(1, \2"),
    ("grid-too-small", r"^(grid.* = )\(\w+(?: \* \w+)?,\)$", r"\1(1,)"),
    ("grid-too-small", r"^(grid.* = )\(\w+ \* (\w+),\)$", r"\1(\2,)"),
    ("grid-too-small", r"\[\((?:行数|rows|x\.shape\[0\]),\)\]", "[(1,)]"),
    ("grid-too-small", r"\[\((triton\.cdiv\(\w+, \w+\)), \w+\)\]", r"[(\1, 1)]"),
)  # fmt: skip
_SOFTMAX: tuple[Row, ...] = (
    ("max-from-zero", rf"tl\.full\((\[.+?\]|\(.+?\)), {_INF}", r"tl.full(\1, 0.0"),
    ("max-from-zero", rf"^(\w+ = tl\.zeros\(.+\)) - {_INF}$", r"\1"),
    ("max-from-zero", rf"^(最大 = ){_INF}$", r"\g<1>0.0"),
    ("max-from-zero", r"tl\.exp\((\w+) - (tl\.max\(.+?\))\)", r"tl.exp(\1 - tl.maximum(\2, 0.0))"),
    ("max-from-zero", r"^(\w+ = )(tl\.max\(\w+, axis=0\))$", r"\1tl.maximum(\2, 0.0)"),
    ("softmax-unstable", r"exp\((\w+) - tl\.max\(.+?\)\)", r"exp(\1)"),
    ("softmax-unstable", r"exp2\(\((\w+) - \w+\) \*", r"exp2(\1 *"),
    ("exp2-without-log2e", r"exp2\((.+) \* (?:LOG2E|1\.44\d*)\)", r"exp2(\1)"),
    ("exp2-without-log2e", r"tl\.exp\((\w+) - (tl\.max\(.+\))\)", r"tl.exp2(\1 - \2)"),
    ("sum-not-divided", r"^(tl\.store\(.+, (?:\w+|tl\.exp\(.+\))) / .+?(, mask=)", r"\1\2"),
    ("sum-not-divided", r"^(tl\.store\(.+), \((\w+) / \w+\)(\.to\(.+), mask=", r"\1, \2\3, mask="),
    ("sum-not-rescaled", r"^(\w+ = )(\w+) \* \w+ \+ (tl\.sum)", r"\1\2 + \3"),
    ("sum-not-rescaled", r"^(\w+ = )\w+ \* (\w+ \+ tl\.sum)", r"\1\2"),
    ("sum-not-rescaled", r"^(\w+ = )(\w+) \* tl\.exp\(\w+ - \w+\) \+ ", r"\1\2 + "),
)  # fmt: skip
_FLASH: tuple[Row, ...] = (
    ("output-not-rescaled", r"^(\w+ = \w+) \* \w+(?:\[:, None\])? \+ (tl\.dot)", r"\1 + \2"),
    ("output-not-rescaled", r"^(\w+ = )\w+\[:, None\] \* (\w+ \+ \w+)$", r"\1\2"),
    ("scale-missing", r"^(\w+ = tl\.dot\(.+\)) \* \w+$", r"\1"),
    ("scale-missing", r"(tl\.where\(.+tl\.dot\(.+\)) \* \w+,", r"\1,"),
    ("scale-multiplied", r"^(\w+(?:: float)? = )(?:1|1\.0) / ((?:math|tl)\.sqrt\()", r"\1\2"),
    ("scale-multiplied", r"^(\w+ = \w+ \*\* )-0\.5$", r"\g<1>0.5"),
    ("scale-without-sqrt", r"(= 1(?:\.0)? / )(?:math|tl)\.sqrt\((.+)\)$", r"\1\2"),
    ("scale-without-sqrt", r"^(\w+ = \w+ \*\* )-0\.5$", r"\g<1>-1"),
    ("scale-without-sqrt", r"^(\w+ = \w+ \*\* )-0\.5$", r"\g<1>-0.25"),
    ("padding-not-masked", rf"tl\.where\({_LANES} < \w+, (tl\.dot\(.+\) \* \w+), .+\)$", r"\1"),
    ("causal-missing", rf"{_LANES} <= ({_LANES})", r"\1 >= 0"),
    ("causal-missing", rf"({_LANES}) >= {_LANES}", r"\1 >= 0"),
    ("causal-missing", rf"{_LANES} > ({_LANES})", r"\1 < 0"),
    ("causal-tile-offset", r"\(\w+(?: \* \w+)? \+ (\w+)\)\[None, :\]", r"\1[None, :]"),
    ("causal-tile-offset", r"(\bcolumns)(\[None, :\] <=)", r"(\1 - start)\2"),
    ("causal-tile-offset", r"\bj(\[None, :\] >)", r"(j - s)\1"),
    ("causal-excludes-self", rf"({_LANES}) <= ({_LANES})", r"\1 < \2"),
    ("causal-excludes-self", rf"({_LANES}) >= ({_LANES})", r"\1 > \2"),
    ("causal-excludes-self", rf"({_LANES}) > ({_LANES})", r"\1 >= \2"),
    ("causal-sees-next", rf"({_LANES}) <= ({_LANES})", r"\1 <= \2 + 1"),
    ("causal-sees-next", rf"({_LANES}) >= ({_LANES})", r"\1 + 1 >= \2"),
    ("causal-sees-next", rf"({_LANES}) > ({_LANES})", r"\1 > \2 + 1"),
    ("causal-inverted", rf"({_LANES}) <= ({_LANES})", r"\1 >= \2"),
    ("causal-inverted", rf"({_LANES}) >= ({_LANES})", r"\1 <= \2"),
    ("causal-inverted", rf"({_LANES}) > ({_LANES})", r"\1 < \2"),
    ("causal-stops-early", r"tl\.minimum\(\((\w+) \+ 1\) \* (\w+), ", r"tl.minimum(\1 * \2, "),
    ("causal-stops-early", r"^(\w+ = \w+) \+ \w+( if )", r"\1\2"),
    ("last-block-dropped", r"range\(0, (\w+), (\w+)\)", r"range(0, \1 // \2 * \2, \2)"),
    ("last-block-dropped", r"range\(0, (\w+), (\w+)\)", r"range(0, \1 - \2 + 1, \2)"),
    ("last-block-dropped", r"tl\.cdiv\((\w+), (\w+)\)", r"\1 // \2"),
    ("weights-on-keys", r"(tl\.dot\(\w+(?:\.to\(\w+\.dtype\))?, )V\b", r"\1K"),
    ("weights-on-keys", r"(tl\.dot\(weights\.to\(values\.dtype\), )values", r"\1keys"),
    ("weights-on-keys", r"(load_tile\()v(_ptr \+ head \* )v_head", r"\1k\2k_head"),
)  # fmt: skip
KERNELS = by_pattern((*_ACCESS, *_SOFTMAX, *_FLASH), "kernel")
