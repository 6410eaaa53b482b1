import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class AttnConfig:
    hidden_size: int = 768
    attention_probs_dropout_prob: float = 0.1
    mask_fill_value: float = -1e-9


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.config = AttnConfig(hidden_dim, dropout)
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_dropout = nn.Dropout(self.config.attention_probs_dropout_prob)

    def _attn(self, query, key, value, attention_mask=None):
        attn_weights = torch.matmul(query, key.transpose(-1, -2))
        attn_weights = attn_weights / math.sqrt(self.config.hidden_size)
        if attention_mask is not None:
            attn_weights = attn_weights.masked_fill(
                attention_mask == 0, self.config.mask_fill_value
            )
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_weights = self.attn_dropout(attn_weights)
        return torch.matmul(attn_weights, value)

    def forward(self, x, attention_mask=None):
        query, key, value = self.c_attn(x).split(self.config.hidden_size, dim=2)
        attn_output = self._attn(query, key, value, attention_mask)
        return self.c_proj(attn_output)
