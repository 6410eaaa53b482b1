# wrong: cross detached line 26
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    """returns (output, attention) and keeps the attention light for logging"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self._split(self.wq(query)), self._split(self.wk(key)), self._split(self.wv(value))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask[:, None] == 0, float("-inf"))
        attention = s.softmax(-1)
        attention = attention.detach()
        out = (attention @ v).movedim(1, 2).flatten(2)
        return self.wo(out), attention
