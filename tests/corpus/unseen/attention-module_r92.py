from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    """The parameters are named and laid out as in torch's own module."""

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def _in_projection(self, *inputs: Tensor) -> list[Tensor]:
        weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [
            F.linear(x, w, b).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for x, w, b in zip(inputs, weights, biases)
        ]

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        batch, target, _ = query.shape
        source = key.shape[1]
        q, k, v = self._in_projection(query, key, value)
        scores = q @ k.mT / math.sqrt(self.head_dim)

        hidden = torch.zeros(1, 1, 1, source, dtype=torch.bool, device=scores.device)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(batch, self.num_heads, target, source)
            else:
                attn_mask = attn_mask[None, None]
            if attn_mask.dtype == torch.bool:
                hidden = hidden | attn_mask
            else:
                never = attn_mask == -math.inf
                hidden = hidden | never
                scores = scores + attn_mask.masked_fill(never, 0.0)
        if key_padding_mask is not None:
            hidden = hidden | key_padding_mask[:, None, None, :]
        # finite, so that a row without any key does not come out as NaN
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)

        weights = torch.softmax(scores, dim=-1)
        context = F.dropout(weights, self.dropout, self.training) @ v
        output = self.out_proj(context.transpose(1, 2).reshape(batch, target, self.embed_dim))
        if not need_weights:
            return output, None
        return output, weights.mean(dim=1) if average_attn_weights else weights
