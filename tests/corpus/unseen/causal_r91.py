import torch
from torch import nn


class TriangleCache:
    """0 / -inf triangles, one for each (length, dtype, device) that was ever asked for."""

    def __init__(self):
        self._store = {}

    def __call__(self, length, like):
        place = (length, like.dtype, like.device)
        if place not in self._store:
            steps = torch.ones(length, length, device=like.device, dtype=torch.int32).cumsum(0)
            ahead = steps < steps.mT                    # row + 1 < column + 1
            self._store[place] = torch.zeros(length, length, dtype=like.dtype, device=like.device).masked_fill(ahead, -torch.inf)
        return self._store[place]


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.n_head, self.block_size = num_heads, block_size
        # per head [q | k | v], as GPT-NeoX and BLOOM lay it out
        self.query_key_value = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.triangle = TriangleCache()

    def forward(self, x):
        b, t, c = x.shape
        assert t <= self.block_size, f"{t} > {self.block_size}"
        mixed = torch.unflatten(self.query_key_value(x), -1, (self.n_head, 3 * c // self.n_head))
        q, k, v = torch.movedim(mixed, 2, 1).chunk(3, dim=-1)
        q, k, v = (z.reshape(b * self.n_head, t, -1) for z in (q, k, v))
        scores = torch.baddbmm(
            self.triangle(t, x).expand(b * self.n_head, t, t), q, k.transpose(1, 2),
            beta=1, alpha=(c // self.n_head) ** -0.5,
        )
        y = torch.bmm(scores.softmax(-1), v)
        return y.unflatten(0, (b, self.n_head)).movedim(1, 2).flatten(2)
