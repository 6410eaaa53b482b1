import torch
from torch import Tensor, nn


def split_roles(fused: Tensor, width: int, head_dim: int):
    return fused.split([width, head_dim, head_dim], dim=-1)


def query_heads(q: Tensor, heads: int) -> Tensor:
    """(b, n, heads * d) -> (b, heads, n, d)"""
    return q.reshape(*q.shape[:-1], heads, -1).movedim(-2, 1)


def scaled_scores(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT) * q.shape[1] ** -0.5


def with_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    return scores if mask is None else scores.masked_fill(mask == 0, float("-inf"))


def join_heads(y: Tensor) -> Tensor:
    return y.movedim(1, -2).flatten(start_dim=-2)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.hidden_dim, self.num_heads = hidden_dim, num_heads
        self.head_dim = hidden_dim // num_heads
        self.in_proj = nn.Linear(hidden_dim, hidden_dim + 2 * self.head_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = split_roles(self.in_proj(x), self.hidden_dim, self.head_dim)
        k, v = k.unsqueeze(1), v.unsqueeze(1)
        scores = with_mask(scaled_scores(query_heads(q, self.num_heads), k), attention_mask)
        return self.out_proj(join_heads(scores.softmax(dim=-1) @ v))
