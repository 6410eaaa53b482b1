# attn-kata: sinks
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class GptOssConfig:
    hidden_size: int
    num_attention_heads: int
    attention_bias: bool = True

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads


def causal_fill(logits: Tensor) -> Tensor:
    """-inf to the right of the diagonal."""
    rows, columns = logits.shape[-2:]
    later = torch.ones(rows, columns, dtype=torch.bool, device=logits.device).triu(1)
    return logits.masked_fill(later, float("-inf"))


def eager_attention_forward(
    module: SinkAttention, query: Tensor, key: Tensor, value: Tensor, scaling: float
) -> Tensor:
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling
    sinks = module.sinks.reshape(1, -1, 1, 1).expand(query.shape[0], -1, query.shape[-2], -1)
    combined_logits = torch.cat([attn_weights, sinks], dim=-1)
    combined_logits = causal_fill(combined_logits)
    probs = combined_logits.softmax(dim=-1)
    scores = probs[..., :-1]
    return torch.matmul(scores, value).transpose(1, 2).contiguous()


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.config = GptOssConfig(hidden_dim, num_heads)
        bias = self.config.attention_bias
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, x: Tensor) -> Tensor:
        shape = (*x.shape[:-1], -1, self.config.head_dim)
        query = self.q_proj(x).view(shape).transpose(1, 2)
        key = self.k_proj(x).view(shape).transpose(1, 2)
        value = self.v_proj(x).view(shape).transpose(1, 2)
        context = eager_attention_forward(self, query, key, value, self.config.head_dim**-0.5)
        return self.o_proj(context.flatten(2))
