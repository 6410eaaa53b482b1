# right: drill-mask remarks: mask-form
import torch as t

padding_mask = lambda lengths, T: t.arange(T, device=lengths.device)[None] < lengths[:, None]
key_mask = lambda m: m[:, None, None]
expanded_mask = lambda m, h: t.broadcast_to(m[:, None, None], (m.size(0), h, m.size(1), m.size(1)))
causal_mask = lambda T: ~t.ones(T, T, dtype=t.bool).triu(1)
combined_mask = lambda m: key_mask(m) & causal_mask(m.size(1)).to(m.device)
masked_weights = lambda s, m: s.masked_fill(~m, -t.inf).softmax(-1)
additive_mask = lambda m, s: m.to(s.dtype).log()
