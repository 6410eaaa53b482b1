import torch
from torch import nn
from torch.nn.functional import linear, dropout as drop


class CrossAttention(nn.Module):
    """in_proj holds the three matrices one under the other: query, key, value"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.in_proj = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.in_bias = nn.Parameter(torch.zeros(3, hidden_dim))
        for w in self.in_proj.unbind(0):
            nn.init.xavier_uniform_(w.data)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.H, self.rate = num_heads, dropout

    def _project(self, i, t):
        t = linear(t, self.in_proj[i], self.in_bias[i])
        return t.unflatten(-1, (self.H, -1)).movedim(-2, 0)      # (H, B, T, d)

    def forward(self, query, key, value, mask=None):
        q, k, v = [self._project(i, t) for i, t in enumerate((query, key, value))]
        logits = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5    # (H, B, Tq, Tk)
        if mask is not None:
            # (B, Tq, Tk) lines up with the last three axes as it is
            logits = logits.masked_fill(mask.logical_not(), torch.finfo(logits.dtype).min)
        weights = drop(logits.softmax(-1), self.rate, self.training)
        return self.out_proj((weights @ v).movedim(0, -2).flatten(-2))
