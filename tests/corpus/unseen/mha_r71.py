from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class BertLikeConfig:
    hidden_size: int
    num_attention_heads: int
    attention_probs_dropout_prob: float = 0.1

    @property
    def head_size(self) -> int:
        size, rest = divmod(self.hidden_size, self.num_attention_heads)
        if rest:
            raise ValueError("hidden_size has to be a multiple of num_attention_heads")
        return size


def extended_attention_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """1/True where allowed becomes 0, the rest the dtype's lowest number."""
    allowed = mask.to(torch.bool)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(
        ~allowed, torch.finfo(dtype).min
    )


class SelfAttention(nn.Module):
    def __init__(self, config: BertLikeConfig) -> None:
        super().__init__()
        self.config = config
        width = config.num_attention_heads * config.head_size
        self.query = nn.Linear(config.hidden_size, width)
        self.key = nn.Linear(config.hidden_size, width)
        self.value = nn.Linear(config.hidden_size, width)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x: Tensor) -> Tensor:
        new_shape = x.size()[:-1] + (self.config.num_attention_heads, self.config.head_size)
        return x.view(new_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states: Tensor, bias: Tensor | None) -> Tensor:
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores * self.config.head_size**-0.5
        if bias is not None:
            attention_scores = attention_scores + bias
        attention_probs = self.dropout(attention_scores.softmax(dim=-1))
        context_layer = torch.matmul(attention_probs, value_layer).permute(0, 2, 1, 3).contiguous()
        return context_layer.view(context_layer.size()[:-2] + (-1,))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        config = BertLikeConfig(hidden_dim, num_heads, dropout)
        self.self = SelfAttention(config)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        bias = None if attention_mask is None else extended_attention_mask(attention_mask, x.dtype)
        return self.dense(self.self(x, bias))
