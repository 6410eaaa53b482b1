import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    """One in_proj_weight for all three, heads folded into the batch: as torch has it."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _folded(self, x, weight, bias):
        bsz, length, _ = x.shape
        x = F.linear(x, weight, bias)
        x = x.view(bsz, length, self.num_heads, -1).transpose(1, 2)
        return x.reshape(bsz * self.num_heads, length, -1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True):
        bsz, tgt_len, _ = query.shape
        src_len = key.shape[1]
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = (None, None, None) if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q = self._folded(query, w_q, b_q)
        k = self._folded(key, w_k, b_k)
        v = self._folded(value, w_v, b_v)
        attn = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn = attn.masked_fill(attn_mask, float("-inf"))
            else:
                attn = attn + attn_mask
        if key_padding_mask is not None:
            padding = key_padding_mask.repeat_interleave(self.num_heads, dim=0)
            attn = attn.masked_fill(padding.unsqueeze(1), float("-inf"))
        attn = F.softmax(attn, dim=-1)
        dropped = F.dropout(attn, self.dropout, training=self.training)
        out = torch.bmm(dropped, v)
        out = out.view(bsz, self.num_heads, tgt_len, -1).transpose(1, 2)
        out = self.out_proj(out.reshape(bsz, tgt_len, self.embed_dim))
        if not need_weights:
            return out, None
        attn = attn.view(bsz, self.num_heads, tgt_len, src_len)
        if average_attn_weights:
            attn = attn.mean(dim=1)
        return out, attn
