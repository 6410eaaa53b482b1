# right: mha
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """One query at a time; the score matrix never exists."""

    def __init__(self, hidden_dim, num_heads, *, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        k, v = self.to_kv(x).view(b, t, 2, self.h, self.d).unbind(2)       # (b, t, h, d)
        rows = []
        for i in range(t):
            q = self.to_q(x[:, i]).view(b, 1, self.h, self.d)
            s = (q * k).sum(-1).transpose(1, 2) * self.d ** -0.5           # (b, h, t)
            if attention_mask is not None:
                row = attention_mask[:, :, i if attention_mask.size(2) > 1 else 0]
                s = s.masked_fill(row == 0, torch.finfo(s.dtype).min)
            p = self.dropout(s.softmax(-1))
            rows.append(torch.einsum("bhs,bshd->bhd", p, v).flatten(1))
        return self.to_out(torch.stack(rows, 1))
