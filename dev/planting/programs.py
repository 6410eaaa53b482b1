"""Ways to get a program wrong: its loop, its loss, its text, its embeddings. Standard library only.

Each is a pattern in a statement and what stands there instead. `{zero}` is the file's own call that
sets gradients to zero.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from .asking import called
from .source import Operator, Source

__all__ = ["PROGRAMS", "Row", "by_pattern"]

_ZERO = "{zero}"
_TO_ITSELF = re.compile(r"(\w+) = \1$")
Row = tuple[str, str, str]

_LOOP: tuple[Row, ...] = (
    ("step-missing schedule-stepped-wrongly", r"^(\w+\.step)\(\)$", r"\1"),
    ("gradients-not-zeroed", r"^(\w+\.zero_grad)\(.*\)$", r"\1"),
    ("zeroed-after-backward", r"^(\w+\.backward\(\))$", r"\1; {zero}"),
    ("eval-in-training", r"^(\w+)\.train\(\)$", r"\1.eval()"),
    ("dropout-in-generation", r"^(\w+)\.eval\(\)$", r"\1.train()"),
    ("dropout-in-generation", r"^(\w+\.eval)\(\)$", r"\1"),
    ("schedule-upside-down", r"\b1 - (\w+ / steps)", r"\1"),
    ("schedule-upside-down", r"\(steps - (\w+)\) / steps", r"\1 / steps"),
    ("learning-rate-sign", r"^(\w+)\.backward\(\)$", r"(-\1).backward()"),
    ("learning-rate-sign", r"(AdamW\(.*)\)$", r"\1, maximize=True)"),
    ("optimizer-other", r"\bAdamW\(", "Adam("),
    ("optimizer-other", r"\bAdamW\(", "SGD("),
    ("gradient-not-clipped", r"clip_grad_norm_\(([^=]*)\)$", r"clip_grad_value_(\1)"),
    ("clip-other-norm", r"(clip_grad_norm_\(.*)\b1\.0\)$", r"\g<1>0.1)"),
    ("clip-other-norm", r"(clip_grad_norm_\(.*)\b1\.0\)$", r"\g<1>10.0)"),
)
_LOSS: tuple[Row, ...] = (
    ("labels-not-shifted", r"(tokens)\[:, 1:\]", r"\1[:, :-1]"),
    ("labels-not-shifted", r"(logits)\[:, :-1(, :)?\]", r"\1[:, 1:]"),
    ("labels-not-shifted", r"logits\[:, :-1\], tokens\[:, 1:\]", "logits, tokens"),
    ("labels-shifted-twice", r"(tokens)\[:, 1:\]", r"\1[:, 1:].roll(-1, 1)"),
    ("labels-shifted-twice", r"logits\[:, :-1\], tokens\[:, 1:\]", "logits[:, :-2], tokens[:, 2:]"),
    ("labels-shifted-backwards", r"logits\[:, :-1\], tokens\[:, 1:\]",
     "logits[:, 1:], tokens[:, :-1]"),
    ("loss-over-padding", r", ignore_index=\w+\)", ")"),
    ("loss-over-padding", r"\w+\[counted\]\.mean", "picked.mean"),
    ("softmax-before-cross-entropy", r"cross_entropy\((\w+),",
     r"cross_entropy(\1.softmax(dim=-1),"),
    ("softmax-before-cross-entropy", r"cross_entropy\((\w+)\.transpose\(1, 2\),",
     r"cross_entropy(\1.softmax(dim=-1).transpose(1, 2),"),
    ("softmax-before-cross-entropy", r"F\.log_softmax\(", "F.softmax("),
    ("loss-wrong-axis", r"(logits\[:, :-1(?:, :)?\])\.", r"\1.transpose(0, 1)."),
    ("loss-wrong-axis", r"(logits\[:, :-1(?:, :)?\])\.reshape\(", r"\1.mT.reshape("),
    ("loss-summed", r"(ignore_index=\w+)\)", r'\1, reduction="sum")'),
    ("loss-summed", r"(\w+\[counted\])\.mean\(\)", r"\1.sum()"),
    ("loss-summed", r" / real\.sum\(\)", ""),
)  # fmt: skip
_TEXT: tuple[Row, ...] = (
    ("temperature-multiplied", r"/ temperature", "* temperature"),
    ("temperature-ignored", r" / temperature", ""),
    ("sampled-from-wrong-position", r"(\w)\[:, -1(, :)?\]", r"\1[:, 0\2]"),
    ("sampled-from-wrong-position", r"(\w)\[:, -1(, :)?\]", r"\1[:, -2\2]"),
    ("softmax-over-batch", r"(softmax\(.*)dim=-1\)$", r"\1dim=0)"),
    ("window-not-cropped", r"(\w)\[:, -model\.block_size ?:\]", r"\1"),
    ("context-from-start", r"\[:, -model\.block_size ?:\]", "[:, :model.block_size]"),
    ("newest-token-alone", r"\[:, -model\.block_size ?:\]", "[:, -1:]"),
    ("text-never-read", r"\b(?:text|result)\[:, -model", "tokens[:, -model"),
    ("tokens-put-before", r"cat\(([\[(])(\w+), (\w+)([\])])", r"cat(\1\3, \2\4"),
    ("count-off-by-one", r"range\(count\)", "range(count - 1)"),
    ("count-off-by-one", r"range\(count\)", "range(count + 1)"),
    ("prompt-dropped", r"^return (text|result)$", r"return \1[:, tokens.shape[1]:]"),
    ("unlikeliest-token", r"argmax", "argmin"),
)  # fmt: skip
_EMBEDDED: tuple[Row, ...] = (
    ("positions-missing", r" \+ self\.(?:\w*pos\w*|wpe)[(\[][^)\]]*[)\]]+", ""),
    ("positions-missing", r"\btok \+ pos\b", "tok"),
    ("positions-wrong-axis", r"arange\((0, )?(\w+)\.(size\(|shape\[)1([)\]])(.*)\)$",
     r"arange(\1\2.\g<3>0\4\5)[:, None]"),
    ("positions-all-first", r"torch\.arange\((?:0, )?(\w+)\.(?:size\(|shape\[)1.*\)$",
     r"torch.zeros_like(\1)"),
    ("positions-all-first", r"(self\.\w*position\w*)\[: tokens\.size\(1\)\]", r"\1[:1]"),
    ("positions-backwards", r"(torch\.arange\(.*\))$", r"\1.flip(0)"),
    ("positions-from-tokens", r"(self\.(?:\w*pos\w*|wpe))\((\w+)\)$",
     r"\1(tokens % self.block_size)"),
    ("embedding-scaled", r"(self\.(?:\w*tok\w*|wte|embedding))\((\w+)\)",
     r"\1(\2) * \1.embedding_dim**0.5"),
    ("final-norm-missing", r"self\.(?:ln_f|final_norm|norm_f)\((\w+)\)", r"\1"),
    ("final-norm-misplaced", r"self\.blocks\((.*)\)$", r"self.blocks(self.ln_f(\1))"),
    ("final-norm-misplaced", r"self\.drop\((.*)\)$", r"self.drop(self.ln_f(\1))"),
    ("tie-broken", r"^(self\.\w+\.weight) = self\.\w+\.weight$", r"nn.init.normal_(\1, std=0.02)"),
    ("blocks-skipped", r"^\w+ = ((?:block|layer)\(\w+\))$", r"\1"),
    ("layers-shared", r"\[((?:Block|Layer|TransformerBlock)\([^()]*\)) for _ in range\((\w+)\)\]",
     r"[\1] * \2"),
    ("blocks-skipped blocks-turned-round", r"^(self\.(?:blocks|layers|h))$", r"\1[1:]"),
    ("blocks-turned-round", r"^(self\.(?:blocks|layers|h))$", r"reversed(\1)"),
    ("weights-frozen", r"nn\.init\.normal_\((self\.\w*p\w+\.weight), std=0\.02\)",
     r"nn.init.zeros_(\1).requires_grad_(False)"),
    ("weights-frozen", r"^(self\.positions\.weight)\.data\.mul_\(0\.02\)$",
     r"\1.requires_grad_(False).zero_()"),
    ("weights-frozen", r"nn\.Parameter\(torch\.randn\((.*)\) \* 0\.02\)",
     r"nn.Parameter(torch.zeros(\1), requires_grad=False)"),
)  # fmt: skip
# A model that goes on with a cache, and how it is called.
_CACHE: tuple[Row, ...] = (
    ("positions-restarted", r"^(start|begin|offset|past_length) = .*$", r"\1 = 0"),
    ("positions-restarted", r"(self\.\w+)\((steps) \+ offset\)", r"\1(\2)"),
    ("positions-restarted", r"arange\((\w+), \1 \+ ", "arange(0, "),
    ("positions-shifted", r"arange\((\w+), \1 \+ ", r"arange(max(\1 - 1, 0), max(\1 - 1, 0) + "),
    ("positions-shifted", r"^(start|begin|offset|past_length) = (.*)$", r"\1 = max((\2) - 1, 0)"),
    ("cache-recomputed", r"model\((\w+), (cache|past)\)", r"model(text, \2)"),
    ("cache-recomputed", r"model\((\w+), (cache|past)\)", r"model(tokens, \2)"),
    ("cache-recomputed", r"model\((\w+), (cache|past)\)", r"model(text)"),
    ("cache-recomputed", r"model\((\w+), (cache|past)\)", r"model(tokens)"),
    ("cache-not-read", r"model\((\w+), (cache|past)\)", r"model(\1)"),
    ("cache-not-read", r"^(\w+), \w+, \w+ = (\w+)\.extended\(", r"\1, _, _ = \2.extended("),
    ("cache-stale", r"^(\w+), (cache|past) = (model\(\w+, \2\))$", r"\1, _ = \3"),
    ("cache-layers-mixed", r"((?:block|layer)\(\w+, \w+), \w+\)$", r"\1, 0)"),
    ("cache-layers-mixed", r"(cache|past)\[(i|n|layer)\]", r"\1[0]"),
    ("cache-layers-mixed", r"cache\.get\(i\)", "cache.get(0)"),
    ("cache-layers-mixed", r"past\.keys\[n\]", "past.keys[0]"),
    ("newest-token-alone", r"model\((tokens|text)\)$", r"model(\1[:, -1:])"),
    ("newest-token-alone", r"^(\w+, cache) = tokens, None$", r"\1 = tokens[:, -1:], None"),
    ("newest-token-alone", r"^text, fed, cache = tokens, tokens, None$",
     "text, fed, cache = tokens, tokens[:, -1:], None"),
)  # fmt: skip
# A mean over what is real, and padding that is kept out of a body.
_MEAN = r"^(pooled|mean|pingjun) = (\w+) / (\w+)$"
_POOLED: tuple[Row, ...] = (
    ("mean-over-padding", r"\((\w+) \* \w+\.unsqueeze\(-1\)\)", r"\1"),
    *(("mean-over-padding", _MEAN, rf"\1 = {one}.mean(dim=1)") for one in ("hidden", "x")),
    *(("one-token-pooled", _MEAN, rf"\1 = {one}[:, -1]") for one in ("hidden", "x")),
    *(("one-token-pooled", _MEAN, rf"\1 = {one}[:, 0]") for one in ("hidden", "x")),
    *(("maximum-pooled", _MEAN, rf"\1 = {one}.amax(dim=1)") for one in ("hidden", "x")),
    *(("mean-by-length", _MEAN, rf"\1 = \2 / {one}.shape[1]") for one in ("tokens", "input_ids")),
    ("mean-by-length", r"(\w+) / \1\.sum\(dim=1, keepdim=True\)", r"\1 / \1.shape[1]"),
    ("mean-not-divided", _MEAN, r"\1 = \2"),
    ("mean-not-divided", r"^(share = \w+) / .*$", r"\1.float()"),
    ("mean-over-batch", r"\.sum\(dim=1, keepdim=True\)$", ".sum()"),
    ("padding-attended", r" [&*] \w+\[:, None, None, :\]", ""),
    ("padding-attended", r"(= future) \| ~\w+\[:, None, :\]", r"\1"),
    ("padding-attended", r"^(allowed) = (\w+)(\[:, None, None, :\])$",
     r"\1 = torch.ones_like(\2)\3"),
    ("padding-not-finite", r"torch\.finfo\(\w+\.dtype\)\.min", 'float("-inf")'),
    ("padding-not-finite", r"(masked_fill\(.*), -1e4\)", r'\1, float("-inf"))'),
    ("mask-transposed", r"\[:, None, None, :\]", "[:, None, :, None]"),
    ("mask-transposed", r"~(\w+)\[:, None, :\]", r"~\1[:, :, None]"),
    ("mask-inverted", r"mask != 0", "mask == 0"),
    ("mask-inverted", r"= mask\.bool\(\)", "= ~mask.bool()"),
    ("mask-inverted", r"\| ~(\w+)\[", r"| \1["),
    ("places-count-padding", r"^(places|position_ids|pos|weizhi) = .*cumsum.*$",
     r"\1 = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)"),
    ("places-from-one", r"(cumsum\(.*\)) - 1", r"\1"),
    ("logits-softmaxed", r"^return (self\.(?:head|score|classifier)\(\w+\))$",
     r"return \1.softmax(dim=-1)"),
    ("activation-added", r"^return (self\.(?:head|score|classifier))\((\w+)\)$",
     r"return \1(torch.tanh(\2))"),
)  # fmt: skip


def _texts(pattern: str, instead: str) -> Callable[[Source, ast.AST], Iterator[str]]:
    """What a row makes of a statement, or of what a loop or an `if` asks, each place by itself."""
    found = re.compile(pattern)

    def texts(source: Source, node: ast.AST) -> Iterator[str]:
        if not _whole(source, node):
            return
        said = source.said(node)
        wanted = instead.replace(_ZERO, _zeroing(source)) if _ZERO in instead else instead
        for one in found.finditer(said):
            text = said[: one.start()] + one.expand(wanted) + said[one.end() :]
            # What is set to itself says of itself that it is wrong.
            if not _TO_ITSELF.match(text):
                yield text

    return texts


def _whole(source: Source, node: ast.AST) -> bool:
    if isinstance(node, ast.expr):
        above = source.parent(node)
        looped = isinstance(above, ast.For) and above.iter is node
        return looped or (isinstance(above, (ast.If, ast.While)) and above.test is node)
    return isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return))


def _zeroing(source: Source) -> str:
    zeroing = (node for node in ast.walk(source.tree) if called(node) == "zero_grad")
    return next(map(source.said, zeroing), "optimizer.zero_grad()")


def by_pattern(rows: Sequence[Row], kind: str) -> tuple[Operator, ...]:
    """Return an operator for each row. kind: goes before their names, which are each one's own."""
    return tuple(
        Operator(f"{kind}-{row[0].split()[0]}-{number}", frozenset(row[0].split()),
                 _texts(row[1], row[2]))
        for number, row in enumerate(rows)
    )  # fmt: skip


PROGRAMS = by_pattern((*_LOOP, *_LOSS, *_TEXT, *_EMBEDDED, *_CACHE, *_POOLED), "program")
