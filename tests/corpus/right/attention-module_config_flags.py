# right: attention-module
"""A library author's version: a config object, typed, with the mask built in one place."""
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn as nn
from torch import Tensor


@dataclass
class AttentionConfig:
    embed_dim: int = 64
    num_heads: int = 4
    dropout: float = 0.0
    bias: bool = True


class MultiheadAttention(nn.Module):
    def __init__(self, config: AttentionConfig):
        super().__init__()
        self.config = config
        self.head_dim = config.embed_dim // config.num_heads
        self.q_proj = nn.Linear(config.embed_dim, config.embed_dim, bias=config.bias)
        self.kv_proj = nn.Linear(config.embed_dim, 2 * config.embed_dim, bias=config.bias)
        self.o_proj = nn.Linear(config.embed_dim, config.embed_dim, bias=config.bias)
        self.attn_drop = nn.Dropout(config.dropout)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.config.num_heads, self.head_dim)).transpose(1, 2)

    def _bias(
        self, scores: Tensor, padding: Optional[Tensor], mask: Optional[Tensor]
    ) -> Optional[Tensor]:
        """Everything that is added to the scores, as (batch, heads or 1, target or 1, source)."""
        total = None
        if mask is not None:
            total = mask
            if mask.dtype is torch.bool:
                total = torch.zeros_like(mask, dtype=scores.dtype)
                total = total.masked_fill(mask, float("-inf"))
            total = total[None, None] if mask.dim() == 2 else total.reshape(scores.shape)
        if padding is not None:
            blocked = scores.new_zeros(padding.shape).masked_fill(padding, float("-inf"))
            blocked = blocked[:, None, None, :]
            total = blocked if total is None else total + blocked
        return total

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Optional[Tensor] = None,
        need_weights: bool = True,
        attn_mask: Optional[Tensor] = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Optional[Tensor]]:
        k_weight, v_weight = self.kv_proj.weight.chunk(2, dim=0)
        k_bias, v_bias = (
            self.kv_proj.bias.chunk(2) if self.kv_proj.bias is not None else (None, None)
        )
        q = self._split(self.q_proj(query))
        k = self._split(nn.functional.linear(key, k_weight, k_bias))
        v = self._split(nn.functional.linear(value, v_weight, v_bias))
        scores = (q @ k.mT) * self.head_dim**-0.5
        bias = self._bias(scores, key_padding_mask, attn_mask)
        if bias is not None:
            scores = scores + bias
        weights = self.attn_drop(scores.softmax(-1))
        output = self.o_proj((weights @ v).transpose(1, 2).flatten(2))
        if need_weights:
            return output, (weights.mean(1) if average_attn_weights else weights)
        return output, None
