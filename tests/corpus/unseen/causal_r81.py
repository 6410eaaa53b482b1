# attn-kata: causal
import torch
from torch import nn, Tensor


class OneHead(nn.Module):
    def __init__(self, width: int, head: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, head, bias=False)
        self.key = nn.Linear(width, head, bias=False)
        self.value = nn.Linear(width, head, bias=False)

    def forward(self, x: Tensor, future: Tensor) -> Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        wei = wei.masked_fill(future, float("-inf"))
        return wei.softmax(dim=-1) @ v


class CausalSelfAttention(nn.Module):
    """Karpathy's lecture version: a list of heads, concatenated."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        head = hidden_dim // num_heads
        self.heads = nn.ModuleList([OneHead(hidden_dim, head) for _ in range(num_heads)])
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        rows = torch.arange(block_size)
        self.register_buffer("future", rows[None, :] > rows[:, None], persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        f = self.future[:T, :T]
        return self.proj(torch.cat([head(x, f) for head in self.heads], dim=-1))
