# wrong: causal causal-excludes-self line 18
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def seen(step):
        # the first has nothing before it but itself
        return slice(max(1, step))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)) for f in (self.q, self.k, self.v))
        rows = []
        for step in range(x.shape[1]):
            keys, values = k[:, self.seen(step)], v[:, self.seen(step)]
            scores = torch.einsum("bhd,bthd->bht", q[:, step], keys) / q.shape[-1] ** 0.5
            rows.append(torch.einsum("bht,bthd->bhd", scores.softmax(-1), values))
        return self.o(torch.stack(rows, 1).flatten(2))
