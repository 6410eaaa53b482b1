import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.W = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("q", "k", "v", "o")})
        self.p = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        bsz, tq, width = query.shape
        tk = key.shape[1]
        dh = width // self.H

        q = self.W["q"](query).reshape(bsz, tq, self.H, dh).permute(0, 2, 1, 3)
        kT = self.W["k"](key).reshape(bsz, tk, self.H, dh).permute(0, 2, 3, 1)
        v = self.W["v"](value).reshape(bsz, tk, self.H, dh).permute(0, 2, 1, 3)

        logits = torch.matmul(q, kT)
        logits = logits / kT.shape[-1] ** 0.5
        if mask is not None:
            blocked = mask[:, None].to(torch.bool).logical_not()
            logits = logits.masked_fill(blocked, torch.finfo(logits.dtype).min)
        att = self.p(torch.softmax(logits, -1))

        out = torch.matmul(att, v).permute(0, 2, 1, 3).reshape(bsz, tq, width)
        return self.W["o"](out)
