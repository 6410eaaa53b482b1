# wrong: v4 dropout-rate-wrong line 14
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(0.5)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        att = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        return self.drop(F.softmax(att, dim=-1)) @ v
