# multi query attention, from my notes to lecture 12
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # many queries
        self.queries = nn.ModuleList([nn.Linear(hidden_dim, self.head_dim)] * num_heads)
        # one key, one value
        self.key = nn.Linear(hidden_dim, self.head_dim)
        self.value = nn.Linear(hidden_dim, self.head_dim)
        self.fc_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        # (B, H, T, D)
        q = torch.stack([proj(x) for proj in self.queries], dim=1)
        # (B, 1, T, D)
        k = self.key(x)[:, None]
        v = self.value(x)[:, None]

        energy = torch.einsum("bhqd,bokd->bhqk", q, k) / self.head_dim**0.5
        if attention_mask is not None:
            energy = energy.masked_fill(attention_mask == 0, float("-inf"))
        attention = F.softmax(energy, dim=-1)

        out = torch.einsum("bhqk,bokd->bqhd", attention, v)
        return self.fc_out(out.reshape(x.shape))
