"""The sink as one more key whose value is 0: keys get a feature that is 1 at the sink alone, and 0 elsewhere."""
import torch
import torch.nn.functional as F
from torch import nn


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.randn(1, num_heads, 1, 1))

    def _split(self, x):
        return x.view(*x.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        b, t, _ = x.shape
        q = self._split(self.q_proj(x)) * self.head_dim**-0.5
        q = torch.cat([q, self.sink.expand(b, -1, t, -1)], dim=-1)           # unscaled: the sink is the logit
        k = F.pad(self._split(self.k_proj(x)), (0, 1, 1, 0))                 # a row in front, a column behind
        at = torch.zeros(t + 1, self.head_dim + 1, dtype=k.dtype, device=k.device)
        at[0, -1] = 1
        s = q @ (k + at).transpose(-1, -2)                                   # (b, h, t, 1 + t)
        i = torch.arange(t, device=x.device)
        hidden = F.pad(i[None, :] > i[:, None], (1, 0), value=False)         # the sink is never hidden
        w = s.masked_fill(hidden, torch.finfo(s.dtype).min).softmax(dim=-1)
        y = w @ F.pad(self._split(self.v_proj(x)), (0, 0, 1, 0))
        return self.o_proj(y.transpose(1, 2).flatten(2))
