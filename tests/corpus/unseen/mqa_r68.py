import math
from typing import Optional

import torch
from torch import nn, Tensor

_BACKENDS = {}


def register(name):
    def wrap(fn):
        _BACKENDS[name] = fn
        return fn
    return wrap


@register("eager")
def eager(module, q, k, v, mask):
    scores = torch.matmul(q, k.unsqueeze(1).transpose(2, 3)).float() if q.dtype.itemsize < 4 \
        else torch.matmul(q, k.unsqueeze(1).transpose(2, 3))
    scores = scores * module.inv_norm_factor
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e30)
    return torch.matmul(torch.softmax(scores, -1).to(v.dtype), v.unsqueeze(1))


@register("by_head")
def by_head(module, q, k, v, mask):
    heads = q.unbind(1)
    masks = [None] * len(heads) if mask is None else \
        mask.expand(-1, len(heads), -1, -1).unbind(1)
    return torch.stack(
        [eager(module, h.unsqueeze(1), k, v, None if m is None else m.unsqueeze(1)).squeeze(1)
         for h, m in zip(heads, masks)], 1)


class FalconAttention(nn.Module):
    """query_key_value has num_heads + 2 slots of head_dim; the last two are key and value."""

    def __init__(self, hidden_dim: int, num_heads: int, impl: str = "eager"):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.inv_norm_factor = 1.0 / math.sqrt(self.head_dim)
        self.query_key_value = nn.Linear(hidden_dim, (num_heads + 2) * self.head_dim, bias=False)
        self.dense = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.impl = impl

    def _split_heads(self, fused_qkv: Tensor):
        b, n, _ = fused_qkv.shape
        fused_qkv = fused_qkv.view(b, n, self.num_heads + 2, self.head_dim)
        return fused_qkv[..., :-2, :], fused_qkv[..., -2, :], fused_qkv[..., -1, :]

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        q, k, v = self._split_heads(self.query_key_value(x))
        ctx = _BACKENDS[self.impl](self, q.transpose(1, 2), k, v, attention_mask)
        return self.dense(ctx.transpose(1, 2).flatten(2))


class MultiQueryAttention(FalconAttention):
    impl = "by_head"

    def __init__(self, *args, **kwargs):
        kwargs.setdefault("impl", type(self).impl)
        super().__init__(*args, **kwargs)
