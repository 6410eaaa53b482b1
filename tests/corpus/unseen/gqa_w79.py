import math

import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.n_heads = num_heads
        self.n_kv = num_kv_heads
        self.n_group = num_heads // num_kv_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_kv = nn.Linear(hidden_dim, 2 * num_kv_heads * self.head_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, L, D = x.shape
        q = self.to_q(x).view(B, L, self.n_kv, self.n_group, self.head_dim).permute(0, 2, 3, 1, 4)
        k, v = self.to_kv(x).chunk(2, dim=-1)
        # add a group dimension of 1, so that k and v broadcast over the group
        k = k.view(B, L, self.n_kv, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        v = v.view(B, L, self.n_kv, 1, self.head_dim).permute(0, 2, 3, 1, 4)

        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)  # (B, kv, group, L, L)
        if attention_mask is not None:
            mask = attention_mask.unsqueeze(2)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attn = torch.softmax(scores, dim=-1)

        out = (attn @ v).permute(0, 3, 1, 2, 4).reshape(B, L, D)
        return self.to_out(out)
