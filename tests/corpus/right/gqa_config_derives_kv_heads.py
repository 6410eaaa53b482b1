# right: gqa
import math

import torch
from torch import nn


class Config:
    def __init__(self, hidden_size=512, num_attention_heads=8, num_key_value_heads=None, head_dim=None, **kwargs):
        self.hidden_size = hidden_size
        self.num_attention_heads = num_attention_heads
        self.num_key_value_heads = num_key_value_heads
        self.head_dim = head_dim


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.num_attention_heads
        self.kv_heads = config.num_key_value_heads or self.heads
        self.dim = config.head_dim or config.hidden_size // self.heads
        self.wq = nn.Linear(config.hidden_size, self.heads * self.dim)
        self.wkv = nn.Linear(config.hidden_size, 2 * self.kv_heads * self.dim)
        self.wo = nn.Linear(self.heads * self.dim, config.hidden_size)

    def forward(self, hidden_states, attention_mask=None):
        n, length, _ = hidden_states.shape
        q = self.wq(hidden_states).view(n, length, self.heads, self.dim).transpose(1, 2)
        k, v = self.wkv(hidden_states).view(n, length, 2, self.kv_heads, self.dim).permute(2, 0, 3, 1, 4)
        repeats = self.heads // self.kv_heads
        k, v = (t[:, :, None].expand(-1, -1, repeats, -1, -1).flatten(1, 2) for t in (k, v))
        w = q @ k.mT / math.sqrt(self.dim)
        if attention_mask is not None:
            w = torch.where(attention_mask != 0, w, -torch.inf)
        return self.wo((w.softmax(-1) @ v).transpose(1, 2).reshape(n, length, -1))
