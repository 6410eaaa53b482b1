"""Ways to get a beam search wrong. Rows are as in `programs`. Standard library only."""

from __future__ import annotations

from .programs import Row, by_pattern

__all__ = ["SEARCHING"]

_OF_BEAM = (
    r"(?:torch\.index_select\((finished)_mask, 0, \w+\)|(is_done)\.view\(-1\)\[beam_idx\])"
    r"\.view\(\w+, \w+\)"
)
_LOGS = r"(?:torch\.nn\.functional|nn\.functional|F)\.log_softmax\((\w+), dim=-1\)"
_STEP: tuple[Row, ...] = (
    ("beam-logits-added", _LOGS, r"\1.clone()"),
    ("beam-logits-added", r"(x)\.log_softmax\(-1\)", r"\1"),
    ("beam-probs-added", r"log_softmax\(", "softmax("),
    ("beam-normalised-across", r"log_softmax\((\w+), dim=-1\)", r"log_softmax(\1, dim=0)"),
    ("beam-normalised-across", r"log_softmax\(-1\)", "log_softmax(0)"),
    ("beams-tiled", r"repeat_interleave\((\w+), 0\)", r"repeat(\1, 1, 1, 1)"),
    ("beams-tiled", r"\.view\(-1, 1\)\.repeat\(1, (\w+)\)\.view\(-1\)", r".repeat(\1)"),
    ("beams-tiled", r"(keys|values)\[:, None\]\.expand\(-1, beams, ",
     r"\1[None].expand(beams, -1, "),
    ("beam-scores-dropped", r"\(s\[\.\.\., None\] \+ p\)", "p"),
    ("beam-scores-dropped", r"\(scores\[\.\.\., None\] \+ (logp)\)", r"\1"),
    ("beam-scores-multiplied", r"\.add_\((scores)", r".mul_(\1"),
    ("beam-scores-multiplied", r"\+ (beam_scores)", r"* \1"),
    ("beam-scores-multiplied", r"\+ (p|logp)\)", r"* \1)"),
    ("beam-index-split", r"// m, i % m$", "// n, i % n"),
    ("beam-index-split", r"\.fmod\(vocab_size\)", ".fmod(beam_size)"),
    ("beam-index-split", r"\.div\(vocab_size, ", ".div(beam_size, "),
    ("beam-index-split", r"torch\.div\(next_tokens, vocab_size, ",
     "torch.div(next_tokens, num_beams, "),
    ("beam-index-split", r"% vocab_size$", "% num_beams"),
    ("beam-index-split", r"torch\.div\((\w+), vocab, ", r"torch.div(\1, beams, "),
    ("beam-index-split", r"torch\.remainder\((\w+), vocab\)", r"torch.remainder(\1, beams)"),
    ("beam-parent-is-row", r"^return (s, t), i, ", r"return \1, r.view(b, n), "),
    ("beam-parent-is-row", r"(next_tokens, next_indices), ", r"\1 + batch_idx, "),
    ("finished-free", r'-float\("inf"\)', "0.0"),
    ("finished-free", r"-torch\.inf", "0"),
    ("finished-wrong-token", r"(\[finished_mask), eos\]", r"\1, 0]"),
    ("finished-wrong-token", r"p\[\.\.\., eos\]", "p[..., 0]"),
    ("finished-wrong-token", r"^(\w+)\[eos\] = ", r"\1[0] = "),
    ("finished-not-reordered", _OF_BEAM, r"\1\2"),
    ("finished-not-reordered", r"torch\.gather\((finished), 1, \w+\)", r"\1"),
    ("finished-not-updated", r" \| next_tokens\.eq\(eos_token_id\)$", ""),
    ("finished-not-updated", r"torch\.logical_or\((.*), \w+ == eos\)", r"\1"),
    ("beam-cache-not-reordered", r"k\[r\], v\[r\]", "k, v"),
    ("beam-cache-half", r", v\[r\]$", ", v"),
    ("beam-cache-other-sample", r"\((i) \+ n \* torch\.arange\(.*\)\[:, None\]\)", r"\1"),
    ("beam-cache-other-sample", r"active_beams\.add\(bbsz_offsets\)\.view",
     "active_beams.reshape"),
    ("beam-cache-other-sample", r"\(batch_idx \+ (next_indices)\)", r"\1"),
    ("beam-cache-other-sample", r"\[(\w+), (\w+)\]\.flatten\(0, 1\)",
     r"[0 * \1, \2].flatten(0, 1)"),
)  # fmt: skip
_TRACE: tuple[Row, ...] = (
    ("trace-not-chained", r"torch\.gather\((parents\[level\]|beam_indices\[idx\]), -?1, \w+\)",
     r"\1"),
    ("trace-not-chained", r"(parents\[t\])\.gather\(1, \w+\)", r"\1"),
    ("trace-not-chained", r"b\.gather\(1, i\)", "b"),
    ("trace-no-parents", r"torch\.gather\((tokens\[level\]|next_tokens\[idx\]), -?1, \w+\)", r"\1"),
    ("trace-no-parents", r"(tokens\[t\])\.gather\(1, \w+\)", r"\1"),
    ("trace-no-parents", r"\[a\.gather\(1, i\), ", "[a, "),
    ("trace-reversed", r"\[(a\.gather\(1, i\)), \*out\]", r"[*out, \1]"),
    ("trace-reversed", r"\b(\w+)\.permute\(1, 2, 0\)", r"\1.flip(0).permute(1, 2, 0)"),
)  # fmt: skip
_BEST: tuple[Row, ...] = (
    ("length-penalty-multiplied", r"= (\w+) / (lp|torch\.pow.*|\w+)$", r"= \1 * \2"),
    ("length-penalty-multiplied", r"\(s / \(\(5", "(s * ((5"),
    ("length-penalty-formula", r"\(5 \+ 1\)", "5"),
    ("length-penalty-formula", r"5\.0 \+ (lengths)", r"\1"),
    ("length-penalty-formula", r"\(5 \+ (n)\) / 6", r"\1"),
    ("length-penalty-formula", r"/ 6\*\*", "/ 5**"),
    ("best-before-penalty", r"(?<!= scores)\b\w+\.argmax\(dim=1\)", "scores.argmax(dim=1)"),
    ("best-is-worst", r"(sort\(dim=1, descending)=True", r"\1=False"),
    ("best-is-worst", r"(topk\(scores, 1, dim=1)\)", r"\1, largest=False)"),
    ("best-is-worst", r"\.max\(1\)", ".min(1)"),
    ("best-is-worst", r"\.argmax\(dim=1\)", ".argmin(dim=1)"),
)  # fmt: skip
SEARCHING = by_pattern((*_STEP, *_TRACE, *_BEST), "searching")
