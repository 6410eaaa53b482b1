from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_attention_heads = num_heads
        self.attention_head_size = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        layer_past = cache
        fused = self.qkv(x).unflatten(-1, (3, self.num_attention_heads, self.attention_head_size))
        query_layer, key_layer, value_layer = fused.permute(2, 0, 3, 1, 4)
        present = torch.stack((key_layer, value_layer))
        if layer_past is not None:
            past_key, past_value = layer_past
            key_layer = torch.cat((past_key, key_layer), dim=-2)
            value_layer = torch.cat((past_value, value_layer), dim=-2)

        length, total = query_layer.shape[-2], key_layer.shape[-2]
        own = torch.arange(total - length, total, device=x.device)
        hidden = torch.arange(total, device=x.device)[None, :] > own[:, None]
        scores = query_layer @ key_layer.mT * self.attention_head_size ** -0.5
        probs = F.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), dim=-1)
        context = (probs @ value_layer).transpose(1, 2).reshape(x.shape)
        return self.dense(context), present
