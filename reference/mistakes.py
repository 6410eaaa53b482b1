"""How attention goes wrong: each known mistake as small edits of the model answers.

A mistake is data. An edit is one or more pairs (before, after) of source text, applied
together; it fits a model answer that holds every `before` exactly once. In an `after`,
{number} stands for any number that the submission has written. An edited
answer that reproduces a submission's numbers names the submission's mistake, and the
two lines are shown side by side. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MISTAKES", "Edit", "Mistake", "changed_line", "edited", "fits"]

Edit = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One mistake. edits: ways to make it. words: a sentence by language.

    rank: smaller is tried first where two edits give the same numbers.
    """

    id: str
    group: str
    words: dict[str, str]
    edits: tuple[Edit, ...]
    rank: int = 1


def fits(edit: Edit, source: str) -> bool:
    """Whether an edit applies to a model answer's source."""
    return all(source.count(before) == 1 for before, _ in edit)


def edited(edit: Edit, source: str) -> str:
    """Return the source with the edit made."""
    for before, after in edit:
        source = source.replace(before, after)
    return source


def changed_line(edit: Edit, source: str) -> tuple[str | None, str | None]:
    """Return the first line of the source that the edit changes, as it is and as it becomes."""
    for before, after in edit:
        for line in source.splitlines() if before != after else ():
            if before in line:
                # Where one line becomes several, the first of them that is another one.
                made = line.replace(before, after).splitlines()
                right, wrong = line, next((one for one in made if one != line), "")
                return right.split("  #")[0].strip(), wrong.split("  #")[0].strip()
    return None, None


def _one(before: str, *afters: str) -> tuple[Edit, ...]:
    return tuple(((before, after),) for after in afters)


# What only the model answers with several heads have.
_MANY = "self.head_dim = hidden_dim // num_heads"
_HEAD = "products / math.sqrt(self.head_dim)"
_SINGLE = "products / math.sqrt(self.hidden_dim)"
_LOWEST = "lowest = torch.finfo(scores.dtype).min"
_FILL = "scores.masked_fill(attention_mask == 0, lowest)"
_CROSS_FILL = "scores.masked_fill(every_head == 0, lowest)"
_CAUSAL_FILL = 'scores.masked_fill(~causal_mask, float("-inf"))'
_SOFTMAX = "weights = masked_scores.softmax(dim=-1)"
_PLAIN_SOFTMAX = "weights = scores.softmax(dim=-1)"
_SCALED_SOFTMAX = (
    (_HEAD, "self.head_dim", _SOFTMAX),
    (_SINGLE, "self.hidden_dim", _SOFTMAX),
    (_SINGLE, "self.hidden_dim", _PLAIN_SOFTMAX),
)
_MHA_VIEWS = {
    name: f"{name} = self.{name}_proj(x).view(split).transpose(1, 2)"
    for name in ("query", "key", "value")
}
_CAUSAL_VIEWS = {
    name: f"{name} = {many}.view(split).transpose(1, 2)"
    for name, many in (("query", "queries"), ("key", "keys"), ("value", "values"))
}
_CROSS_VIEWS = {
    "query": "query_heads = queries.transpose(1, 2)",
    "key": "key_heads = keys.transpose(1, 2)",
    "value": "value_heads = values.transpose(1, 2)",
}
_CHUNK = "query, key, value = qkv.chunk(3, dim=-1)"
_OUTPUT = "output = self.output_proj({})"
_SELF = "def forward(self, x: Tensor"
_CROSS = "self, query: Tensor, key: Tensor"
_LENGTH_VIEW = ".reshape(batch, self.num_heads, length, self.head_dim)"


def _scaled(after: str) -> tuple[Edit, ...]:
    """A scale mistake, for one head and for many. D stands for the right dimension."""
    return (
        *_one(_HEAD, after.replace("D", "self.head_dim")),
        *_one(_SINGLE, after.replace("D", "self.hidden_dim")),
    )


def _soft(after: str) -> tuple[Edit, ...]:
    """A softmax mistake. S stands for the scores that go in."""
    return (
        *_one(_SOFTMAX, "weights = " + after.replace("S", "masked_scores")),
        *_one(_PLAIN_SOFTMAX, "weights = " + after.replace("S", "scores")),
    )


def _after_softmax(fill: str, weights: str) -> Edit:
    return (
        (fill, "scores"),
        (_SOFTMAX, f"weights = masked_scores.softmax(dim=-1){weights}"),
    )


def _late(fill: str, mask: str) -> tuple[Edit, ...]:
    """A mask that comes after softmax, without and with a sum that is made one again."""
    plain = f".masked_fill({mask} == 0, 0.0)"
    return (_after_softmax(fill, plain),)


def _weak_fills() -> tuple[Edit, ...]:
    """Fills that leave hidden keys a weight, at least where scores are large."""
    return (
        *_one(_LOWEST, "lowest = {number}"),
        *_one(_CAUSAL_FILL, "scores.masked_fill(~causal_mask, {number})"),
    )


def _weak_penalties() -> tuple[Edit, ...]:
    """The same, added to the scores or taken from them."""
    hidden = {
        _FILL: "(attention_mask == 0)", _CROSS_FILL: "(every_head == 0)",
        _CAUSAL_FILL: "(~causal_mask)",
    }  # fmt: skip
    return tuple(
        ((fill, f"scores {sign} {where}.to(scores.dtype) * {{number}}"),)
        for fill, where in hidden.items()
        for sign in "+-"
    )


def _viewed(names: tuple[str, ...]) -> tuple[Edit, ...]:
    """Heads made by a view alone, for some of query, key and value."""
    mha = tuple((_MHA_VIEWS[n], f"{n} = self.{n}_proj(x){_LENGTH_VIEW}") for n in names)
    causal = tuple(
        (_CAUSAL_VIEWS[n], f"{n} = {_CAUSAL_VIEWS[n].split(' = ')[1].split('.')[0]}{_LENGTH_VIEW}")
        for n in names
    )
    cross = tuple(
        (
            _CROSS_VIEWS[n],
            f"{n}_heads = {_CROSS_VIEWS[n].split(' = ')[1].split('.')[0]}.reshape("
            f"batch, self.num_heads, {'query' if n == 'query' else 'key'}_length, self.head_dim)",
        )
        for n in names
    )
    return (mha, causal, cross)


def _dealt(*names: str) -> tuple[Edit, ...]:
    """Features that are dealt out to the heads in turn, for some of query, key and value."""
    cut = ".reshape(batch, -1, self.head_dim, self.num_heads).permute(0, 3, 1, 2)"
    made = re.compile(r"(\.view\(split\))?\.transpose\(1, 2\)$")
    return tuple(
        tuple((lines[name], made.sub(cut, lines[name])) for name in names)
        for lines in (_MHA_VIEWS, _CAUSAL_VIEWS, _CROSS_VIEWS)
    )


def _unprojected(name: str) -> tuple[Edit, ...]:
    """A role that takes its input as it comes."""
    many = {"query": "queries", "key": "keys", "value": "values"}[name]
    split = "query_split" if name == "query" else "key_split"
    return (
        ((f"{name} = self.{name}_proj(x)  #", f"{name} = x  #"),),
        ((_MHA_VIEWS[name], f"{name} = x.view(split).transpose(1, 2)"),),
        ((_CAUSAL_VIEWS[name], f"{name} = x.view(split).transpose(1, 2)"),),
        (
            (
                f"{many} = self.{name}_proj({name}).view({split})",
                f"{many} = {name}.reshape({split})",
            ),
        ),
        (("query, key, value = qkv.chunk(3, dim=-1)",
          f"query, key, value = qkv.chunk(3, dim=-1); {name} = x"),),
    )  # fmt: skip


def _around(template: str, taking: str = "def forward(") -> tuple[Edit, ...]:
    """Something done around the output projection. O stands for its result, I for its input.

    taking: what the model answer's signature must hold for the edit to make sense.
    """
    found: list[Edit] = []
    for name in ("merged",) if taking == _CROSS else ("context", "merged"):
        line = _OUTPUT.format(name)
        after = template.replace("O", f"self.output_proj({name})").replace("I", name)
        found.append(((line, f"output = {after}"), (taking, taking)))
    return tuple(found)


def _returned(template: str) -> tuple[Edit, ...]:
    """Something done to what v1 returns, which has no output projection."""
    return ((("return context", "return " + template.replace("O", "context")),),)


def _residual() -> tuple[Edit, ...]:
    return (
        *_around("O + x", _SELF),
        *_around("O + query", _CROSS),
        *_around("self.output_proj(I + x)", _SELF),
        *_returned("O + x"),
    )


def _norms() -> tuple[Edit, ...]:
    norm = "torch.nn.functional.layer_norm({}, (self.hidden_dim,))"
    return (
        *_around(norm.format("O")),
        *_around(norm.format("O + x"), _SELF),
        *_around(norm.format("O + query"), _CROSS),
        *_around("self.output_proj(" + norm.format("I") + ")"),
        *_returned(norm.format("O")),
        *_returned(norm.format("O + x")),
        (("qkv = self.qkv_proj(x)", "qkv = self.qkv_proj(" + norm.format("x") + ")"),),
        tuple(
            (f"self.{n}_proj(x)", f"self.{n}_proj({norm.format('x')})")
            for n in ("query", "key", "value")
        ),
    )


def _activations() -> tuple[Edit, ...]:
    found: list[Edit] = []
    for act in ("relu", "gelu", "tanh", "silu", "sigmoid", "leaky_relu"):
        call = f"torch.nn.functional.{act}" if act not in {"tanh", "sigmoid"} else f"torch.{act}"
        found += _around(f"{call}(O)")
        found += _around(f"self.output_proj({call}(I))")
        found += _returned(f"{call}(O)")
        found.append((("qkv = self.qkv_proj(x)", f"qkv = {call}(self.qkv_proj(x))"),))
        found.append(
            tuple(
                (f"self.{n}_proj(x)", f"{call}(self.{n}_proj(x))")
                for n in ("query", "key", "value")
            )
        )
        found.append(
            tuple(
                (f"self.{n}_proj({n})", f"{call}(self.{n}_proj({n}))")
                for n in ("query", "key", "value")
            )
        )
        for n in ("query", "key", "value"):
            found.append(((f"self.{n}_proj(x)", f"{call}(self.{n}_proj(x))"),))
            found.append(((f"self.{n}_proj({n})", f"{call}(self.{n}_proj({n}))"),))
        found += _soft(f"{call}(S).softmax(dim=-1)")
    return tuple(found)


MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        id="scale-missing",
        group="scale",
        words={
            "en": "the scores are not divided by √d; their spread grows with d and softmax saturates",
            "zh": "scores 没有除以 √d；d 越大分数越分散，softmax 会饱和",
        },
        edits=_scaled("products"),
        rank=0,
    ),
    Mistake(
        id="scale-by-hidden-dim",
        group="scale",
        words={
            "en": "the scores are divided by √hidden_dim; each head's scores need √head_dim",
            "zh": "scores 除以了 √hidden_dim；每个 head 的分数应除以 √head_dim",
        },
        edits=_one(_HEAD, "products / math.sqrt(self.hidden_dim)"),
        rank=0,
    ),
    Mistake(
        id="scale-by-length",
        group="scale",
        words={
            "en": "the scores are divided by the root of the length; it should be the root of one head's width, √d",
            "zh": "scores 除以的是序列长度的平方根；应除以单个 head 宽度的平方根 √d",
        },
        edits=(
            *_scaled("products / math.sqrt(products.shape[-1])"),
            *_scaled("products / math.sqrt(products.shape[-2])"),
            *_scaled("products / products.shape[-1]"),
            *_scaled("products / math.sqrt(products.shape[0])"),
        ),
    ),
    Mistake(
        id="scale-without-sqrt",
        group="scale",
        words={
            "en": "the scores are divided by d itself; divide them by √d",
            "zh": "scores 除以了 d 本身；应除以 d 的平方根",
        },
        edits=(*_scaled("products / D"), *_one(_HEAD, "products / self.hidden_dim")),
        rank=0,
    ),
    Mistake(
        id="scale-multiplied",
        group="scale",
        words={
            "en": "the scores are multiplied by √d where they should be divided by it",
            "zh": "scores 乘以了 √d；应该是除以 √d",
        },
        edits=(
            *_scaled("products * math.sqrt(D)"),
            *_one(_HEAD, "products * math.sqrt(self.hidden_dim)"),
            *_scaled("products * D"),
        ),
    ),
    Mistake(
        id="scale-after-softmax",
        group="scale",
        words={
            "en": "the weights are scaled after softmax; scale the scores before it",
            "zh": "缩放放在了 softmax 之后；应在 softmax 之前缩放 scores",
        },
        edits=tuple(
            ((scale, "products"), (soft, soft + f" / math.sqrt({dim})"))
            for scale, dim, soft in _SCALED_SOFTMAX
        )
        + tuple(
            ((scale, "products"), (soft, soft + f" * math.sqrt({dim})"))
            for scale, dim, soft in _SCALED_SOFTMAX
        )
        + (((_HEAD, "products"), (_SOFTMAX, _SOFTMAX + " / math.sqrt(self.hidden_dim)")),),
    ),
    Mistake(
        id="softmax-missing",
        group="softmax",
        words={
            "en": "the scores are used as weights without softmax",
            "zh": "没有做 softmax，直接把 scores 当权重用了",
        },
        edits=(
            *_soft("S"),
            (
                (_FILL, "scores.masked_fill(attention_mask == 0, 0.0)"),
                (_SOFTMAX, "weights = masked_scores"),
            ),
            (
                (_CAUSAL_FILL, "scores.masked_fill(~causal_mask, 0.0)"),
                (_SOFTMAX, "weights = masked_scores"),
            ),
            *_soft("S / S.sum(dim=-1, keepdim=True)"),
            *_soft("S.sigmoid()"),
        ),
    ),
    Mistake(
        id="softmax-twice",
        group="softmax",
        words={
            "en": "softmax runs twice; after the first each row adds up to 1 already, and the second makes the weights almost even",
            "zh": "softmax 做了两次；第一次之后每行之和已经是 1，再做一次会把权重抹得差不多一样",
        },
        edits=_soft("S.softmax(dim=-1).softmax(dim=-1)"),
    ),
    Mistake(
        id="softmax-wrong-axis",
        group="softmax",
        words={
            "en": "softmax runs over the wrong axis; each query's weights over the keys must sum to 1",
            "zh": "softmax 的维度不对；每个 query 对所有 key 的权重之和应为 1",
        },
        edits=(*_soft("S.softmax(dim=-2)"), *_soft("S.softmax(dim=0)")),
    ),
    Mistake(
        id="softmax-over-heads",
        group="heads",
        words={
            "en": "softmax runs over the heads; each query's weights over the keys must sum to 1",
            "zh": "softmax 作用在 head 维上；每个 query 对所有 key 的权重之和应为 1",
        },
        edits=tuple(
            ((_SOFTMAX, "weights = masked_scores.softmax(dim=1)"), (guard, guard))
            for guard in (_MANY,)
        ),
        rank=0,
    ),
    Mistake(
        id="mask-ignored",
        group="mask",
        words={
            "en": "the mask changes nothing; `masked_fill` returns a new tensor, which has to be used",
            "zh": "mask 没有起作用；`masked_fill` 返回新的张量，要接住并使用它",
        },
        edits=(*_one(_FILL, "scores"), *_one(_CROSS_FILL, "scores")),
        rank=0,
    ),
    Mistake(
        id="mask-inverted",
        group="mask",
        words={
            "en": "the mask is read the wrong way round; here 1 means that a query may attend (for code that expects True = masked, use `--mask drop`)",
            "zh": "mask 的含义反了；这里 1 表示可以看（按 True = 遮住写的代码请用 `--mask drop` 评判）",
        },
        edits=(
            *_one(_FILL, "scores.masked_fill(attention_mask != 0, lowest)"),
            *_one(_CROSS_FILL, "scores.masked_fill(every_head != 0, lowest)"),
            *_one(_FILL, "scores + attention_mask * -1e9"),
            *_one(_CROSS_FILL, "scores + every_head * -1e9"),
        ),
        rank=0,
    ),
    Mistake(
        id="mask-after-softmax",
        group="mask",
        words={
            "en": "the mask comes after softmax; hidden keys still take their share of the sum",
            "zh": "mask 放在了 softmax 之后；被遮住的 key 仍在分母里占了份额",
        },
        edits=(
            *_late(_FILL, "(torch.ones(()) if attention_mask is None else attention_mask)"),
            *_late(_CROSS_FILL, "(torch.ones(()) if mask is None else mask.unsqueeze(1))"),
            *_late(_CAUSAL_FILL, "causal_mask"),
            _after_softmax(
                _FILL,
                ".masked_fill((torch.ones(()) if attention_mask is None else attention_mask) == 0, -1e9)",
            ),
        ),
    ),
    Mistake(
        id="mask-transposed",
        group="mask",
        words={
            "en": "the mask's query and key axes are swapped",
            "zh": "mask 的 query 维和 key 维弄反了",
        },
        edits=(
            *_one(_FILL, "scores.masked_fill(attention_mask.transpose(-2, -1) == 0, lowest)"),
            *_one(_CROSS_FILL, "scores.masked_fill(every_head.transpose(-2, -1) == 0, lowest)"),
        ),
    ),
    Mistake(
        id="mask-fill-zero",
        group="mask",
        words={
            "en": "hidden scores are set to 0, and exp(0) is 1; fill with -inf",
            "zh": "被遮住的分数填成了 0，而 exp(0) 等于 1；应填 -inf",
        },
        edits=(
            *_one(_FILL, "scores.masked_fill(attention_mask == 0, 0.0)"),
            *_one(_CROSS_FILL, "scores.masked_fill(every_head == 0, 0.0)"),
            *_one(_CAUSAL_FILL, "scores.masked_fill(~causal_mask, 0.0)"),
        ),
    ),
    Mistake(
        id="mask-fill-small",
        group="mask",
        words={
            "en": "the fill for hidden scores is not low enough to hide them; fill with -inf",
            "zh": "填充值不够小，遮不住；应填 -inf",
        },
        edits=(*_weak_fills(), *_weak_penalties()),
        rank=2,
    ),
    Mistake(
        id="mask-added",
        group="mask",
        words={
            "en": "the mask of 1 and 0 is added to the scores, which hides nothing (for code that expects a mask of 0 and -inf, use `--mask additive`)",
            "zh": "把 1/0 的 mask 直接加到了 scores 上，什么也没有遮住"
            "（按 0/-inf 的 mask 写的代码请用 `--mask additive` 评判）",
        },
        edits=(
            *_one(_FILL, "scores + attention_mask"),
            *_one(_CROSS_FILL, "scores + every_head"),
            *_one(_CAUSAL_FILL, "scores + causal_mask"),
        ),
    ),
    Mistake(
        id="mask-multiplied",
        group="mask",
        words={
            "en": "the scores are multiplied by the mask; a hidden score of 0 still gets weight",
            "zh": "scores 乘以了 mask；被遮住的分数变成 0，仍会分到权重",
        },
        edits=(
            *_one(_FILL, "scores * attention_mask"),
            *_one(_CROSS_FILL, "scores * every_head"),
            *_one(_CAUSAL_FILL, "scores * causal_mask"),
        ),
        rank=2,
    ),
    Mistake(
        id="causal-missing",
        group="causal",
        words={
            "en": "no causal mask acts: every position sees what comes after it",
            "zh": "没有因果 mask 在起作用：每个位置都能看到后面的内容",
        },
        edits=_one(_CAUSAL_FILL, "scores"),
        rank=0,
    ),
    Mistake(
        id="causal-excludes-self",
        group="causal",
        words={
            "en": "a position does not see itself; the diagonal has to stay visible",
            "zh": "位置看不到自己；对角线上的位置应当可见",
        },
        edits=(
            *_one(_CAUSAL_FILL, 'scores.masked_fill(~causal_mask.tril(-1), float("-inf"))'),
            *_one(_CAUSAL_FILL, "scores.masked_fill(~causal_mask.tril(-1), -1e9)"),
        ),
    ),
    Mistake(
        id="causal-sees-next",
        group="causal",
        words={
            "en": "a position sees the one after it; the mask is off by one",
            "zh": "位置能看到它的下一个；mask 差了一格",
        },
        edits=_one(
            _CAUSAL_FILL,
            'scores.masked_fill(torch.ones_like(causal_mask).triu(2), float("-inf"))',
        ),
    ),
    Mistake(
        id="causal-inverted",
        group="causal",
        words={
            "en": "the causal mask is the wrong way round: positions see what comes after them",
            "zh": "因果 mask 反了：位置看到的是它后面的内容",
        },
        edits=(
            *_one(_CAUSAL_FILL, 'scores.masked_fill(causal_mask, float("-inf"))'),
            *_one(_CAUSAL_FILL, "scores.masked_fill(causal_mask, -1e9)"),
            *_one(_CAUSAL_FILL, "scores + causal_mask.to(scores.dtype) * -1e9"),
            *_one(_CAUSAL_FILL, 'scores.masked_fill(causal_mask.tril(-1), float("-inf"))'),
        ),
    ),
    Mistake(
        id="value-not-projected",
        group="roles",
        words={
            "en": "the value is the input itself; it needs its own projection",
            "zh": "value 直接用了输入；它需要自己的投影",
        },
        edits=_unprojected("value"),
    ),
    Mistake(
        id="key-not-projected",
        group="roles",
        words={
            "en": "the key is the input itself; it needs its own projection",
            "zh": "key 直接用了输入；它需要自己的投影",
        },
        edits=_unprojected("key"),
    ),
    Mistake(
        id="query-not-projected",
        group="roles",
        words={
            "en": "the query is the input itself; it needs its own projection",
            "zh": "query 直接用了输入；它需要自己的投影",
        },
        edits=_unprojected("query"),
    ),
    Mistake(
        id="values-from-keys",
        group="roles",
        words={
            "en": "the values are made by the key projection",
            "zh": "value 是用 key 的投影算出来的",
        },
        edits=(
            (("value = self.value_proj(x)", "value = self.key_proj(x)"),),
            (("values = self.value_proj(value)", "values = self.key_proj(value)"),),
            (("values = self.value_proj(value)", "values = self.key_proj(key)"),),
            (
                (
                    "values = self.value_proj(value)",
                    "values = self.value_proj(self.key_proj(value))",
                ),
            ),
            (("value = values.view(split)", "value = keys.view(split)"),),
            ((_CHUNK, f"{_CHUNK}; value = key"),),
        ),
        rank=3,
    ),
    Mistake(
        id="weights-on-keys",
        group="roles",
        words={
            "en": "the weights are applied to the keys; they should mix the values",
            "zh": "权重乘到了 key 上；应该用来加权 value",
        },
        edits=(
            (("context = weights @ value", "context = weights @ key"),),
            (("context = dropped_weights @ value", "context = dropped_weights @ key"),),
        ),
        rank=2,
    ),
    Mistake(
        id="cross-wrong-source",
        group="roles",
        words={
            "en": "a projection takes the wrong sequence: queries come from query, keys from key, "
            "values from value",
            "zh": "投影用错了序列：query 来自 query，key 来自 key，value 来自 value",
        },
        edits=(
            (("keys = self.key_proj(key)", "keys = self.key_proj(value)"),),
            (("values = self.value_proj(value)", "values = self.value_proj(key)"),),
            (
                (
                    "keys = self.key_proj(key).view(key_split)",
                    "keys = self.key_proj(query).view(query_split)",
                ),
                (
                    "values = self.value_proj(value).view(key_split)",
                    "values = self.value_proj(query).view(query_split)",
                ),
            ),
            (
                (
                    "keys = self.key_proj(key).view(key_split)",
                    "keys = self.key_proj(query).view(query_split)",
                ),
            ),
            (
                (
                    "values = self.value_proj(value).view(key_split)",
                    "values = self.value_proj(query).view(query_split)",
                ),
            ),
            (
                (
                    "queries = self.query_proj(query).view(query_split)",
                    "queries = self.query_proj(key).view(key_split)",
                ),
            ),
            (
                ("keys = self.key_proj(key)", "keys = self.key_proj(value)"),
                ("values = self.value_proj(value)", "values = self.value_proj(key)"),
            ),
        ),
    ),
    Mistake(
        id="projection-unused",
        group="roles",
        words={
            "en": "a projection is made but never used; another layer does its work",
            "zh": "有一个投影创建了却没有用上，它的工作由别的层做了",
        },
        edits=(
            (("key = self.key_proj(x)", "key = self.query_proj(x)"),),
            (("query = self.query_proj(x)", "query = self.key_proj(x)"),),
            (("value = self.value_proj(x)", "value = self.query_proj(x)"),),
            (("keys = self.key_proj(key)", "keys = self.query_proj(key)"),),
            (("queries = self.query_proj(query)", "queries = self.key_proj(query)"),),
            (("values = self.value_proj(value)", "values = self.query_proj(value)"),),
            (("key = keys.view(split)", "key = queries.view(split)"),),
            (("query = queries.view(split)", "query = keys.view(split)"),),
            (("value = values.view(split)", "value = queries.view(split)"),),
            *(
                ((_CHUNK, f"{_CHUNK}; {wrong}"),)
                for wrong in ("key = query", "query = key", "value = query")
            ),
        ),
        rank=4,
    ),
    Mistake(
        id="heads-not-split",
        group="heads",
        words={
            "en": "the heads are never split: one attention runs over the whole width",
            "zh": "没有拆分 head：整个宽度上只做了一次注意力",
        },
        edits=tuple(
            (
                (
                    "split = (batch, length, self.num_heads, self.head_dim)",
                    "split = (batch, length, 1, self.hidden_dim)",
                ),
                (_HEAD, f"products / math.sqrt({dim})"),
            )
            for dim in ("self.head_dim", "self.hidden_dim")
        )
        + tuple(
            (
                (
                    "query_split = (batch, query_length, self.num_heads, self.head_dim)",
                    "query_split = (batch, query_length, 1, self.hidden_dim)",
                ),
                (
                    "key_split = (batch, key_length, self.num_heads, self.head_dim)",
                    "key_split = (batch, key_length, 1, self.hidden_dim)",
                ),
                (_HEAD, f"products / math.sqrt({dim})"),
            )
            for dim in ("self.head_dim", "self.hidden_dim")
        ),
    ),
    Mistake(
        id="heads-view-without-transpose",
        group="heads",
        words={
            "en": "the heads are made by nothing but a view, which mixes positions; view to (batch, length, heads, head_dim), then transpose",
            "zh": "只用 view 拆 head，会把不同位置混在一起；应先 view 成 (batch, length, heads, "
            "head_dim) 再 transpose",
        },
        edits=(
            *_viewed(("query", "key", "value")),
            *_viewed(("query", "key")),
            *_viewed(("query",)),
            *_viewed(("key",)),
            *_viewed(("value",)),
            *_viewed(("key", "value")),
        ),
    ),
    Mistake(
        id="heads-interleaved",
        group="heads",
        words={
            "en": "the width is cut into (head_dim, heads), so the features are dealt out to the heads in turn; each head should get head_dim neighbours: cut it into (heads, head_dim)",
            "zh": "最后一维切成了 (head_dim, heads)，特征是轮流分给各 head 的；"
            "每个 head 应得到相邻的 head_dim 个特征：要切成 (heads, head_dim)",
        },
        edits=(
            *_dealt("query", "key", "value"),
            *_dealt("query"),
            *_dealt("key"),
            *_dealt("value"),
        ),
    ),
    Mistake(
        id="heads-merge-without-transpose",
        group="heads",
        words={
            "en": "the heads are merged without moving the head axis back after the positions",
            "zh": "合并 head 之前没有把 head 维换回到位置之后",
        },
        edits=_one("by_position = context.transpose(1, 2)", "by_position = context"),
    ),
    Mistake(
        id="heads-merge-wrong-axes",
        group="heads",
        words={
            "en": "the wrong axes are swapped before the heads are merged; swap heads and positions (axes 1 and 2)",
            "zh": "合并 head 之前交换错了维度；应交换 head 和位置（dim 1 和 2）",
        },
        edits=(
            *_one(
                "by_position = context.transpose(1, 2)", "by_position = context.transpose(-2, -1)"
            ),
            *_one(
                "by_position = context.transpose(1, 2)", "by_position = context.permute(0, 2, 3, 1)"
            ),
            *_one(
                "by_position = context.transpose(1, 2)", "by_position = context.permute(0, 3, 1, 2)"
            ),
            *_one(
                "by_position = context.transpose(1, 2)", "by_position = context.permute(0, 3, 2, 1)"
            ),
        ),
    ),
    Mistake(
        id="residual-added",
        group="projection",
        words={
            "en": "the input is added to the output; the residual belongs to the block around it",
            "zh": "把输入加到了输出上；残差连接属于外层的 block",
        },
        edits=_residual(),
    ),
    Mistake(
        id="norm-added",
        group="projection",
        words={
            "en": "a layer norm is applied, which belongs to the block around the attention",
            "zh": "多做了一次 layer norm；它属于外层的 block",
        },
        edits=_norms(),
        rank=2,
    ),
    Mistake(
        id="activation-added",
        group="projection",
        words={
            "en": "an activation is applied; attention has none besides softmax",
            "zh": "多了一个激活函数；注意力里除了 softmax 没有别的非线性",
        },
        edits=_activations(),
        rank=5,
    ),
)
