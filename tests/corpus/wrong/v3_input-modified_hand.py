# wrong: v3 input-modified line 22
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        # 점수 계산
        q = self.wq(x)
        k, v = self.wk(x), self.wv(x)
        score = q @ k.transpose(-2, -1) * self.hidden_dim ** -0.5
        if attention_mask is not None:
            hidden = attention_mask.logical_not_()
            score = score.masked_fill(hidden.bool(), float('-inf'))
        weight = self.dropout(score.softmax(dim=-1))
        return self.wo(weight @ v)
