from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class BertishConfig:
    hidden_size: int
    attention_probs_dropout_prob: float = 0.1
    qkv_bias: bool = True


class BertishSelfAttention(nn.Module):
    def __init__(self, config: BertishConfig):
        super().__init__()
        self.attention_head_size = config.hidden_size
        for name in ("query", "key", "value"):
            setattr(self, name, nn.Linear(config.hidden_size, config.hidden_size, bias=config.qkv_bias))
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    @staticmethod
    def get_extended_attention_mask(attention_mask, dtype):
        # 1.0 for positions to attend, 0.0 for masked ones -> 0.0 / most negative number
        extended = attention_mask.to(dtype=dtype)
        return (1.0 - extended) * torch.finfo(dtype).min

    def forward(self, hidden_states, attention_mask=None):
        query_layer = self.query(hidden_states)
        key_layer = self.key(hidden_states)
        value_layer = self.value(hidden_states)

        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / self.attention_head_size ** 0.5
        if attention_mask is not None:
            attention_scores = attention_scores + self.get_extended_attention_mask(
                attention_mask, attention_scores.dtype
            )
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        attention_probs = self.dropout(attention_probs)
        return torch.matmul(attention_probs, value_layer)


class SelfAttentionV4(BertishSelfAttention):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__(BertishConfig(hidden_dim, attention_probs_dropout_prob=dropout))
