import math
import torch
from torch import nn
from torch.nn import functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert embed_dim % num_heads == 0
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_proj(self, q, k, v):
        w = self.in_proj_weight.chunk(3)
        b = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [F.linear(t, w_, b_) for t, w_, b_ in zip((q, k, v), w, b)]

    def _canonical_mask(self, mask, bsz, tgt, src, like):
        """Any attn_mask -> additive float mask that broadcasts to (bsz, heads, tgt, src)."""
        if mask.dtype == torch.bool:
            mask = torch.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))
        if mask.dim() == 3:
            mask = mask.reshape(self.num_heads, bsz, tgt, src)
            return mask.transpose(0, 1)
        return mask[None, None]

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        bsz, tgt, _ = query.shape
        src = key.shape[1]
        q, k, v = self._in_proj(query, key, value)
        q = q.view(bsz, tgt, self.num_heads, -1).transpose(1, 2)
        k = k.view(bsz, src, self.num_heads, -1).transpose(1, 2)
        v = v.view(bsz, src, self.num_heads, -1).transpose(1, 2)

        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if attn_mask is not None:
            scores = scores + self._canonical_mask(attn_mask, bsz, tgt, src, scores)
        if key_padding_mask is not None:
            scores = scores.masked_fill(key_padding_mask[:, None, None, :], float("-inf"))
        weights = F.softmax(scores, dim=-1)
        ctx = F.dropout(weights, self.dropout, self.training) @ v
        out = self.out_proj(ctx.transpose(1, 2).reshape(bsz, tgt, self.embed_dim))

        if need_weights:
            return out, weights.mean(dim=1) if average_attn_weights else weights
        return out, None
