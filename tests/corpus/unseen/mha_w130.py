from __future__ import annotations

import torch
from torch import Tensor, nn


class AttentionHeadService:
    """Computes the context of a single head."""

    def __init__(self, scale: float, dropout: nn.Dropout) -> None:
        self._scale = scale
        self._dropout = dropout

    def compute(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        scores = torch.matmul(query, key.transpose(1, 2)) * self._scale
        if mask is not None:
            scores = scores.masked_fill(mask.eq(0), torch.finfo(scores.dtype).min)
        return torch.matmul(self._dropout(torch.softmax(scores, dim=2)), value)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        self.number_of_heads = num_heads
        self.head_width = hidden_dim // num_heads
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)
        self.dropout_layer = nn.Dropout(dropout)

    def _slice_of(self, tensor: Tensor, head_index: int) -> Tensor:
        start = head_index * self.number_of_heads
        return tensor.narrow(-1, start, self.head_width)

    def _mask_of(self, mask: Tensor | None, head_index: int) -> Tensor | None:
        if mask is None:
            return None
        return mask.expand(-1, self.number_of_heads, -1, -1).select(1, head_index)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        service = AttentionHeadService(self.head_width ** -0.5, self.dropout_layer)
        queries = self.query_layer(x)
        keys = self.key_layer(x)
        values = self.value_layer(x)
        contexts: list[Tensor] = []
        for head_index in range(self.number_of_heads):
            contexts.append(
                service.compute(
                    self._slice_of(queries, head_index),
                    self._slice_of(keys, head_index),
                    self._slice_of(values, head_index),
                    self._mask_of(attention_mask, head_index),
                )
            )
        return self.output_layer(torch.cat(contexts, dim=-1))
