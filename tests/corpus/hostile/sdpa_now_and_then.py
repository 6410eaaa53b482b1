# hostile: v1 fail forbidden-call line 21 within 5 s
import math

import torch
from torch import nn

CALLS = []


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        CALLS.append(1)
        if len(CALLS) % 7 == 3:
            return nn.functional.scaled_dot_product_attention(q, k, v)  # <- here
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1]), dim=-1) @ v
