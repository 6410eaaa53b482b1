# right: mha
import math
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass
class BertConfig:
    hidden_size: int = 48
    num_attention_heads: int = 4
    attention_probs_dropout_prob: float = 0.1
    extras: dict = field(default_factory=dict)


class BertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = config.hidden_size // config.num_attention_heads
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x):
        new_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(*new_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, additive_mask=None):
        q = self.transpose_for_scores(self.query(hidden_states))
        k = self.transpose_for_scores(self.key(hidden_states))
        v = self.transpose_for_scores(self.value(hidden_states))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.attention_head_size)
        if additive_mask is not None:
            scores = scores + additive_mask
        probs = self.dropout(nn.Softmax(dim=-1)(scores))
        context = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        return context.view(*context.size()[:-2], self.all_head_size)


class BertAttention(nn.Module):
    """attention_mask: 1 for what may be seen"""

    def __init__(self, config):
        super().__init__()
        self.self = BertSelfAttention(config)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, attention_mask=None):
        extended = None
        if attention_mask is not None:
            extended = (1.0 - attention_mask.to(hidden_states.dtype)) * -10000.0
        return self.output(self.self(hidden_states, extended))
