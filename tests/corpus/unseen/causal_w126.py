import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    class History(nn.Module):
        """Knows which positions lie in the past."""

        def __init__(self, size: int) -> None:
            super().__init__()
            table = torch.ones(size, size, dtype=torch.bool).tril()
            self.register_buffer("table", table, persistent=False)

        def forward(self, length: int) -> Tensor:
            return self.table[-length:, :length]

    class Heads(nn.Module):
        """Projects and deals out the slices: (b, t, d) -> (b, h, t, d / h)."""

        def __init__(self, width: int, count: int) -> None:
            super().__init__()
            self.count = count
            self.linear = nn.Linear(width, width)

        def forward(self, x: Tensor) -> Tensor:
            return self.linear(x).unflatten(-1, (self.count, -1)).movedim(2, 1)

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.history = self.History(block_size)
        self.query = self.Heads(hidden_dim, num_heads)
        self.key = self.Heads(hidden_dim, num_heads)
        self.value = self.Heads(hidden_dim, num_heads)
        self.merge = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        past = self.history(x.size(1))
        scores = scores.masked_fill(past.logical_not(), torch.finfo(scores.dtype).min)
        mixed = scores.softmax(dim=-1) @ value
        return self.merge(mixed.movedim(1, 2).flatten(-2))
