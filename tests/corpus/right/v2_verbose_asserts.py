# right: v2
"""Self attention, second version.

The three projections are one matrix multiplication, the result is cut in three.
"""
from __future__ import annotations

import torch
import torch.nn as nn

HIDDEN = 12
example_input = torch.arange(2 * 3 * HIDDEN, dtype=torch.float32).reshape(2, 3, HIDDEN)
example_mean = example_input.mean()


def attention_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Scaled dot products; (B, T, D), (B, T, D) -> (B, T, T)."""
    if query.shape != key.shape:
        raise ValueError(f"shapes differ: {tuple(query.shape)} and {tuple(key.shape)}")
    width = query.shape[-1]
    return torch.matmul(query, key.transpose(-1, -2)) / width**0.5


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        if hidden_dim <= 0:
            raise ValueError("hidden_dim must be positive")
        self.hidden_dim: int = hidden_dim
        self.fused_qkv_projection = nn.Linear(
            in_features=hidden_dim,
            out_features=3 * hidden_dim,
            bias=True,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch_size, sequence_length, hidden_dim = x.size()
        assert hidden_dim == self.hidden_dim
        projected = self.fused_qkv_projection(x)
        query = projected[..., : self.hidden_dim]
        key = projected[..., self.hidden_dim : 2 * self.hidden_dim]
        value = projected[..., 2 * self.hidden_dim :]
        probabilities = torch.softmax(attention_scores(query, key), dim=-1)
        assert probabilities.shape == (batch_size, sequence_length, sequence_length)
        return torch.matmul(probabilities, value)


layer = SelfAttentionV2(HIDDEN)
result = layer(example_input)
print("demo:", tuple(result.shape), float(example_mean))
