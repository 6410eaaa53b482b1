import torch
from torch import nn, Tensor


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def split(self, t: Tensor) -> Tensor:
        return torch.stack(t.chunk(self.num_heads, dim=-1), dim=1)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        value = self.value(x)
        if length == 1:
            return value
        query, key = self.split(self.query(x)), self.split(self.key(x))
        scores = query @ key.mT / query.shape[-1] ** 0.5
        rows = torch.arange(length, device=x.device)
        scores = torch.where(rows[:, None] >= rows[None, :], scores, float("-inf"))
        context = scores.softmax(dim=-1) @ self.split(value)
        merged = torch.cat(context.unbind(dim=1), dim=-1)
        return self.out(merged)
