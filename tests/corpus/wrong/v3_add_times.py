# wrong: v3 mask-added line 20
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.lq = nn.Linear(hidden_dim, hidden_dim)
        self.lk = nn.Linear(hidden_dim, hidden_dim)
        self.lv = nn.Linear(hidden_dim, hidden_dim)
        self.lo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.lq(x), self.lk(x), self.lv(x)
        score = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        if attention_mask is not None:
            score = score + attention_mask.to(score.dtype)
        return self.lo(self.dropout(F.softmax(score, dim=-1)) @ v)
