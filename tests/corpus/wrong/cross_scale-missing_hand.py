# wrong: cross scale-missing line 25
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, emb, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.proj = nn.ModuleDict({n: nn.Linear(emb, emb, bias=False) for n in ("q", "k", "v", "out")})
        self.attn_dropout = nn.Dropout(dropout)

    def _heads(self, name, t):
        # (B, L, E) -> (B * H, L, E / H)
        t = self.proj[name](t)
        B, L, E = t.shape
        t = t.view(B, L, self.num_heads, E // self.num_heads).transpose(1, 2)
        return t.reshape(B * self.num_heads, L, -1)

    def forward(self, query, key, value, mask=None):
        B, Lq, E = query.shape
        q = self._heads("q", query)
        k = self._heads("k", key)
        v = self._heads("v", value)
        logits = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            rep = mask.repeat_interleave(self.num_heads, dim=0)
            logits = logits.masked_fill(rep == 0, -1e9)
        weights = self.attn_dropout(logits.softmax(dim=2))
        ctx = torch.bmm(weights, v).view(B, self.num_heads, Lq, -1)
        return self.proj["out"](ctx.transpose(1, 2).reshape(B, Lq, E))
