"""Ways to get a sampler wrong. Rows are as in `programs`. Standard library only."""

from __future__ import annotations

from .programs import Row, by_pattern

__all__ = ["DRAWING"]

_WHERE = r"torch\.where\(\w+(?: [<>] 0)?, (\w+) / (self\.penalty|\w+), \w+ \* [\w.]+\)"
_WHERE_HF = r"torch\.where\(\w+ < 0, (\w+) \* (self\.penalty), \w+ / [\w.]+\)"
_PENALTY: tuple[Row, ...] = (
    *(("penalty-sign-ignored", one, r"\1 / \2") for one in (_WHERE, _WHERE_HF)),
    *(("penalty-sign-ignored", one, r"\1 * \2") for one in (_WHERE, _WHERE_HF)),
    *(("penalty-subtracted", one, r"\1 - \2") for one in (_WHERE, _WHERE_HF)),
    ("penalty-reversed", r"(where\(score) < 0", r"\1 > 0"),
    ("penalty-reversed", r"(where\(\w+) > 0", r"\1 < 0"),
    ("penalty-per-occurrence", r"scores\.scatter\(1, (\w+), score\)",
     r"scores.scatter_add(1, \1, score - scores.gather(1, \1))"),
    ("penalty-per-occurrence", r"x\.scatter\(1, ids, (.*)\)$", r"x.scatter_add(1, ids, \1 - y)"),
)  # fmt: skip
_ORDER: tuple[Row, ...] = (
    ("temperature-multiplied", r"(scores) / (self\.temperature)", r"\1 * \2"),
    ("temperature-multiplied", r"\.div\((self\.\w+\.temperature)", r".mul(\1"),
    ("filters-out-of-order", r"keep_min_p\(keep_top_p\(x, top_p\), min_p\)",
     "keep_top_p(keep_min_p(x, min_p), top_p)"),
    ("probs-not-renormalised", r"^return (keep_min_p\(.*\))\.softmax\(-1\)$",
     r"return x.softmax(-1).masked_fill(\1.isinf(), 0)"),
    ("probs-not-softmaxed", r"^(return .*)\bsoftmax\(", r"\1log_softmax("),
    ("probs-not-softmaxed", r"^(return .*)\.softmax\((?:dim=)?-1\)$", r"\1"),
    ("probs-not-softmaxed", r"^return (?:\w+\.)*softmax\((\w+), dim=-?1\)$", r"return \1"),
    *(("axis-of-the-batch batch-mixed", rf"\b({one}\((?:\w+, )?dim=)-?1", r"\g<1>0")
      for one in ("(?<!log_)softmax", "cumsum", "sort", "argsort")),
    ("axis-of-the-batch batch-mixed", r"\b(softmax|cumsum|amax)\(-1", r"\1(0"),
)  # fmt: skip
_TOP_K: tuple[Row, ...] = (
    ("top-k-strict", r"\b(scores|logits_sort) < (kth_score|threshold)", r"\1 <= \2"),
    ("top-k-strict", r"(logits) >= (门槛)", r"\1 > \2"),
    ("top-k-one-more", r"\[:, k - 1\]", "[:, min(k, logits.size(1) - 1)]"),
    ("filter-inverted", r"\b(scores|logits_sort) < (kth_score|threshold)", r"\1 >= \2"),
    ("filter-inverted", r"(logits) >= (门槛)", r"\1 <= \2"),
    ("filter-inverted", r"(topk\((?:scores, top_)?k)\)", r"\1, largest=False)"),
    ("threshold-shared", r"\[0\]\[\.\.\., -1, None\]", "[0][..., -1].min()"),
    ("threshold-shared", r"\[:, (top_k_index|k - 1)\]\.unsqueeze\((?:dim=)?1\)", r"[0, \1]"),
)  # fmt: skip
_TOP_P: tuple[Row, ...] = (
    ("top-p-crossing-dropped", r"(cumulative_probs|cumsum\(-1\)) - \w+ >= ", r"\1 >= "),
    ("top-p-crossing-dropped", r"(cumulative_probs|cumsum\(-1\)) - \w+ >= ", r"\1 > "),
    ("top-p-crossing-dropped", r"之前 < p", "累积 < p"),
    ("top-p-one-more", r"^(m) = (.*)$", r"\1 = torch.nn.functional.pad(\2, (1, -1))"),
    ("top-p-one-more", r"^(sorted_to_remove) = (.*)$",
     r"\1 = nn.functional.pad(\2, (1, -1))"),
    ("top-p-not-scattered", r"(sorted_to_remove)\.scatter\(.*\)$", r"\1.gather(1, sorted_indices)"),
    ("top-p-not-scattered", r"i\.argsort\(-1\)", "i"),
    ("top-p-not-scattered", r"torch\.zeros_like\((留下)\)\.scatter\(.*\)$", r"\1.gather(1, 次序)"),
    ("top-p-unsorted", r"softmax\(sorted_logits", "softmax(scores"),
    ("top-p-unsorted", r"(x\.softmax\(-1\))\.sort\(", r"\1, x.argsort("),
    ("top-p-ascending", r"(sort\(.*descending)=True", r"\1=False"),
    ("top-p-on-logits min-p-on-logits", r"= (logits_sort|x)\.softmax\((?:dim=)?-1\)", r"= \1"),
    ("filter-inverted", r"之前 < p", "之前 >= p"),
    ("filter-inverted", r"^(sorted_to_remove = .*|m = .*) >= ", r"\1 < "),
)  # fmt: skip
_MIN_P: tuple[Row, ...] = (
    ("min-p-absolute", r"(q >= p) \* q\.amax\(-1, True\)", r"\1"),
    ("threshold-shared", r"(probs\.amax|q\.amax)\(.*?True\)", r"\1()"),
    ("threshold-shared", r"最大 \* p", "最大.max() * p"),
    ("filter-inverted", r"(probs) < (scaled_min_p)", r"\1 >= \2"),
    ("filter-inverted", r"(probability_values|概率) >= ", r"\1 < "),
    ("filter-inverted", r"(q) >= (p \* q)", r"\1 < \2"),
    ("filter-gives-probs", r"logits(\.masked_fill\(~valid_token_mask, ).*\)$",
     r"probability_values\g<1>0.0)"),
    ("filter-gives-probs", r"x(\.where\(.*, )-torch\.inf", r"q\g<1>0.0"),
    ("filter-gives-probs", r"where\((留下), logits, 负无穷\)", r"where(\1, 概率, 0.0)"),
    *(("filter-fill-finite", r'(\(.*, )(?:self\.filter_value|-float\("inf"\)|-torch\.inf|负无穷)\)',
       rf"\g<1>{one})") for one in ("0.0", "-1e4")),
)  # fmt: skip
_DRAW: tuple[Row, ...] = (
    ("draw-greedy", r"^return (?:next_tokens|n|序号)\.clamp\(max=(p\w*)\..*$",
     r"return \1.argmax(-1)"),
    ("draw-greedy", r"^return above\.int\(\)\.argmax", "return probs.argmax"),
    ("draw-greedy", r"^return (序号)\.clamp\(.*$", "return probs.argmax(dim=1)"),
    *(("draw-off-by-one", r"^return (next_tokens|n|序号)\.clamp\(", rf"return (\1 {one}")
      for one in ("+ 1).clamp(", "- 1).clamp(min=0, ")),
    ("draw-off-by-one", r"^return (above\..*)$", r"return (\1 - 1).clamp(min=0)"),
    ("draw-counts-above", r"<= (u|uniform)\[:, None\]", r"> \1[:, None]"),
    ("draw-by-rank", r"torch\.cumsum\(probs, (dim=-?1)\)",
     r"torch.cumsum(probs.sort(\1, descending=True).values, \1)"),
    ("draw-by-rank", r"\b(p|probs)\.cumsum\(", r"\1.sort(-1, descending=True).values.cumsum("),
)  # fmt: skip
DRAWING = by_pattern((*_PENALTY, *_ORDER, *_TOP_K, *_TOP_P, *_MIN_P, *_DRAW), "drawing")
