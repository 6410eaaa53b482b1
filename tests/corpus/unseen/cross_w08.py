import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    """diffusers-style processor: to_q / to_k / to_v / to_out, mask prepared first."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = 1 / math.sqrt(hidden_dim // num_heads)
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.ModuleList([nn.Linear(hidden_dim, hidden_dim), nn.Dropout(0.0)])
        self.attn_dropout = nn.Dropout(dropout)

    def prepare_mask(self, mask, dtype):
        mask = mask[:, None]
        if mask.dtype == torch.bool:
            bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
            return bias.masked_fill(mask.logical_not(), float("-inf"))
        return mask.to(dtype)  # already a bias

    def heads_first(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.heads, c // self.heads).permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q = self.heads_first(self.to_q(query))
        k = self.heads_first(self.to_k(key))
        v = self.heads_first(self.to_v(value))
        attention_scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        if mask is not None:
            attention_scores += self.prepare_mask(mask, attention_scores.dtype)
        probs = self.attn_dropout(attention_scores.softmax(dim=-1))
        hidden = torch.matmul(probs, v).permute(0, 2, 1, 3).reshape(query.shape)
        for module in self.to_out:
            hidden = module(hidden)
        return hidden
