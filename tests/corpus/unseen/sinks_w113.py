from __future__ import annotations

import torch
import torch.nn as nn


class SinkAttentionConfig:
    def __init__(self, hidden_size: int, num_attention_heads: int, attention_bias: bool = True):
        self.hidden_size = hidden_size
        self.num_attention_heads = num_attention_heads
        self.head_dim = hidden_size // num_attention_heads
        self.attention_bias = attention_bias


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        config = SinkAttentionConfig(hidden_dim, num_heads)
        self.config = config
        self.scaling = config.head_dim**-0.5
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.attention_bias)
        self.sinks = nn.Parameter(torch.empty(config.num_attention_heads))
        nn.init.normal_(self.sinks, std=0.5)

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        input_shape = hidden_states.shape[:-1]
        hidden_shape = (*input_shape, -1, self.config.head_dim)
        query_states = self.q_proj(hidden_states).view(hidden_shape).transpose(1, 2)
        key_states = self.k_proj(hidden_states).view(hidden_shape).transpose(1, 2)
        value_states = self.v_proj(hidden_states).view(hidden_shape).transpose(1, 2)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.scaling
        q_len, k_len = attn_weights.shape[-2:]
        causal_mask = torch.full(
            (q_len, k_len), float("-inf"), device=attn_weights.device, dtype=attn_weights.dtype
        ).triu(1)
        attn_weights = attn_weights + causal_mask[None, None]

        sinks = self.sinks.reshape(1, -1, 1, 1).expand(
            query_states.shape[0], -1, query_states.shape[-2], -1
        )
        combined_logits = torch.cat([sinks, attn_weights], dim=-1)
        probs = nn.functional.softmax(combined_logits, dim=-1)
        # we drop the sink here
        scores = probs[..., :-1]
        attn_output = torch.matmul(scores, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().reshape(*input_shape, -1)
        return self.o_proj(attn_output)
