# right: v4
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.fused = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.fused(x).chunk(3, -1)
        s = q @ k.mT / (d := q.shape[-1]) ** 0.5
        assert d == x.shape[-1]
        match attention_mask:
            case None:
                pass
            case torch.Tensor(dtype=torch.bool) as m:
                s = s.masked_fill(~m, float("-inf"))
            case m:
                s = s.masked_fill(m == 0, float("-inf"))
        return self.dropout(s.softmax(-1)) @ v
