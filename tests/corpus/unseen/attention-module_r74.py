from functools import reduce
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.n = num_heads
        self.in_proj_weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(3 * embed_dim, embed_dim)))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias)
        self.dropout = nn.Dropout(dropout)

    def _masks(self, kpm, am, like):
        """everything as summands, (b, n, t, s) after broadcasting"""
        def floaty(m):
            return like.new_zeros(m.shape).masked_fill(m, -torch.inf) if m.dtype is torch.bool else m

        if kpm is not None:
            yield floaty(kpm)[:, None, None, :]
        if am is not None:
            am = floaty(am)
            yield am.unflatten(0, (-1, self.n)) if am.dim() == 3 else am

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True):
        w = self.in_proj_weight.chunk(3)
        b = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        q, k, v = (nn.functional.linear(t, w[i], b[i]).unflatten(-1, (self.n, -1)).transpose(1, 2)
                   for i, t in enumerate((query, key, value)))
        s = reduce(torch.add, self._masks(key_padding_mask, attn_mask, q), q @ k.mT * q.shape[-1] ** -0.5)
        p = s.softmax(-1)
        out = self.out_proj((self.dropout(p) @ v).transpose(1, 2).flatten(2))
        return out, {(True, True): lambda: p.mean(1), (True, False): lambda: p}.get(
            (bool(need_weights), bool(average_attn_weights)), lambda: None)()
