# attn-kata: sinks
import torch
from torch import nn


class SinkAttention(nn.Module):
    """plain attention, damped afterwards by sigmoid(lse - sink)"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def heads(self, t):
        return t.unflatten(-1, (self.n, -1)).movedim(-2, 1)

    def forward(self, x):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        s = q @ k.mT * q.shape[-1] ** -0.5
        r = torch.arange(x.shape[1], device=x.device)
        s = s.masked_fill(r > r[:, None], -torch.inf)
        lse = s.logsumexp(-1)
        damp = torch.sigmoid(lse - self.sinks[:, None])
        y = (s.softmax(-1) @ v) * damp.unsqueeze(-1)
        return self.o(y.movedim(1, -2).flatten(-2))
