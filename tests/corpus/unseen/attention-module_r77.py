# attn-kata: attention-module
import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in(self, query, key, value):
        w = self.in_proj_weight.chunk(3)
        b = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        for t, wi, bi in zip((query, key, value), w, b):
            yield F.linear(t, wi, bi).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _additive(self, mask, like):
        if mask.dtype == torch.bool:
            return torch.zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(mask, -torch.inf)
        return mask.to(like.dtype)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        q, k, v = self._in(query, key, value)
        s = torch.einsum("nhld,nhsd->nhls", q / q.shape[-1] ** 0.5, k)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.unflatten(0, (-1, self.num_heads))
            s = s + self._additive(attn_mask, s)
        if key_padding_mask is not None:
            s = s + self._additive(key_padding_mask, s)[:, None, None, :]
        w = s.softmax(-1)
        y = torch.einsum("nhls,nhsd->nlhd", F.dropout(w, self.dropout, self.training), v)
        out = self.out_proj(y.flatten(-2))
        if not need_weights:
            return out, None
        return out, w.mean(1) if average_attn_weights else w
