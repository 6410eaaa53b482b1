"""torch's own layout (in_proj_weight, in_proj_bias, out_proj), and F.multi_head_attention_forward's order of things."""
import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def _canonical_mask(mask, dtype):
    """bool, True = hidden, becomes floats to be added"""
    if mask is not None and mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))
    return mask


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim = embed_dim // num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.register_parameter("in_proj_bias", nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_projection_packed(self, q, k, v):
        E = self.embed_dim
        if k is v:
            if q is k:
                return F.linear(q, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
            b_q, b_kv = (None, None) if self.in_proj_bias is None else self.in_proj_bias.split([E, 2 * E])
            w_q, w_kv = self.in_proj_weight.split([E, 2 * E])
            return F.linear(q, w_q, b_q), *F.linear(k, w_kv, b_kv).chunk(2, dim=-1)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [F.linear(t, w, b) for t, w, b in zip((q, k, v), self.in_proj_weight.chunk(3), biases)]

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True
    ):
        bsz, tgt_len, _ = query.shape
        src_len = key.shape[1]
        q, k, v = self._in_projection_packed(query, key, value)
        # (batch * heads, length, head_dim), as in torch
        q = q.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2).reshape(-1, tgt_len, self.head_dim)
        k = k.view(bsz, src_len, self.num_heads, self.head_dim).transpose(1, 2).reshape(-1, src_len, self.head_dim)
        v = v.view(bsz, src_len, self.num_heads, self.head_dim).transpose(1, 2).reshape(-1, src_len, self.head_dim)

        attn_mask = _canonical_mask(attn_mask, q.dtype)
        if attn_mask is not None and attn_mask.dim() == 2:
            attn_mask = attn_mask.unsqueeze(0)
        if key_padding_mask is not None:
            pad = _canonical_mask(key_padding_mask, q.dtype).view(bsz, 1, 1, src_len)
            pad = pad.expand(-1, self.num_heads, -1, -1).reshape(bsz * self.num_heads, 1, src_len)
            attn_mask = pad if attn_mask is None else attn_mask + pad

        scores = torch.bmm(q / math.sqrt(self.head_dim), k.transpose(-2, -1))
        if attn_mask is not None:
            scores = scores + attn_mask
        weights = F.softmax(scores, dim=-1)
        if self.training and self.dropout > 0.0:
            weights = F.dropout(weights, p=self.dropout)
        context = torch.bmm(weights, v).view(bsz, self.num_heads, tgt_len, self.head_dim)
        output = self.out_proj(context.transpose(1, 2).flatten(2))
        if not need_weights:
            return output, None
        weights = weights.view(bsz, self.num_heads, tgt_len, src_len)
        return output, weights.mean(dim=1) if average_attn_weights else weights
