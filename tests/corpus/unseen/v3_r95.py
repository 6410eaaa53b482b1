import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class SelfAttentionConfig:
    hidden_size: int
    attention_probs_dropout_prob: float = 0.1
    qkv_bias: bool = True
    initializer_range: float = 0.02


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        config = SelfAttentionConfig(hidden_size=hidden_dim, attention_probs_dropout_prob=dropout)
        self.config = config
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.qkv_bias)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.qkv_bias)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size, bias=config.qkv_bias)
        self.out_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.attn_dropout = nn.Dropout(config.attention_probs_dropout_prob)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=self.config.initializer_range)
            if module.bias is not None:
                module.bias.data.zero_()

    def get_extended_attention_mask(self, attention_mask, dtype):
        extended = torch.zeros(attention_mask.shape, dtype=dtype, device=attention_mask.device)
        return extended.masked_fill(attention_mask == 0, torch.finfo(dtype).min)

    def forward(self, x, attention_mask: Optional[torch.Tensor] = None):
        query_states = self.q_proj(x)
        key_states = self.k_proj(x)
        value_states = self.v_proj(x)

        attn_weights = torch.matmul(query_states, key_states.transpose(1, 2))
        attn_weights = attn_weights / math.sqrt(self.config.hidden_size)
        if attention_mask is not None:
            attn_weights = attn_weights + self.get_extended_attention_mask(attention_mask, attn_weights.dtype)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_weights = self.attn_dropout(attn_weights)

        attn_output = torch.matmul(attn_weights, value_states)
        return self.out_proj(attn_output)
