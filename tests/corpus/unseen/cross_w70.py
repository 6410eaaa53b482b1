"""Cross attention after the speech recipe: time first, heads folded into the batch."""
import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nhead = num_heads
        self.dim = hidden_dim // num_heads
        self.in_proj = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v")})
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.p = dropout

    def _heads(self, name, t):
        # (B, T, C) -> (T, B, C) -> (T, B*H, d) -> (B*H, T, d)
        t = self.in_proj[name](t.transpose(0, 1))
        steps, bsz, _ = t.shape
        return t.contiguous().view(steps, bsz * self.nhead, self.dim).transpose(0, 1)

    def forward(self, query, key, value, mask=None):
        bsz, tq, chan = query.shape
        q = self._heads("q", query) * self.dim ** -0.5
        k = self._heads("k", key)
        v = self._heads("v", value)

        energy = torch.bmm(q, k.transpose(1, 2))             # (B*H, Tq, Tk)
        if mask is not None:
            mask = mask.repeat(self.nhead, 1, 1)
            energy = energy.masked_fill(mask == 0, torch.finfo(energy.dtype).min)
        prob = F.dropout(energy.softmax(-1), self.p, self.training)

        ctx = torch.bmm(prob, v)                             # (B*H, Tq, d)
        ctx = ctx.transpose(0, 1).reshape(tq, bsz, chan)     # (T, B, C)
        return self.out_proj(ctx).transpose(0, 1)
