from typing import Optional

import torch
import torch.nn as nn


class TinyBertConfig:
    def __init__(
        self,
        hidden_size: int = 128,
        num_attention_heads: int = 4,
        attention_probs_dropout_prob: float = 0.1,
        qkv_bias: bool = True,
    ):
        self.hidden_size = hidden_size
        self.num_attention_heads = num_attention_heads
        self.attention_probs_dropout_prob = attention_probs_dropout_prob
        self.qkv_bias = qkv_bias


class MultiHeadAttention(nn.Module):
    def __init__(self, config: TinyBertConfig):
        super().__init__()
        if config.hidden_size % config.num_attention_heads != 0:
            raise ValueError(
                f"hidden_size ({config.hidden_size}) is not a multiple of "
                f"num_attention_heads ({config.num_attention_heads})"
            )
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = config.hidden_size // config.num_attention_heads
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.scaling = self.all_head_size**-0.5

        self.query = nn.Linear(config.hidden_size, self.all_head_size, bias=config.qkv_bias)
        self.key = nn.Linear(config.hidden_size, self.all_head_size, bias=config.qkv_bias)
        self.value = nn.Linear(config.hidden_size, self.all_head_size, bias=config.qkv_bias)
        self.dense = nn.Linear(self.all_head_size, config.hidden_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, states: torch.Tensor) -> torch.Tensor:
        batch, seq, _ = states.shape
        states = states.view(batch, seq, self.num_attention_heads, self.attention_head_size)
        return states.permute(0, 2, 1, 3)

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2)) * self.scaling
        if attention_mask is not None:
            attention_scores = attention_scores.masked_fill(
                attention_mask == 0, torch.finfo(attention_scores.dtype).min
            )
        attention_probs = self.dropout(attention_scores.softmax(dim=-1))

        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        context_layer = context_layer.view(*context_layer.shape[:2], self.all_head_size)
        return self.dense(context_layer)
