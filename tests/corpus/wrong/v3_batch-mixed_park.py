# wrong: v3 batch-mixed line 19
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = self.q(x) @ self.k(x).transpose(-1, -2) / x.size(-1) ** 0.5
        if attention_mask is not None:
            # 첫 번째 샘플의 마스크만 사용
            s = s.masked_fill(attention_mask[0] == 0, float("-inf"))
        w = self.dropout(torch.softmax(s, dim=-1))
        return self.o(w @ self.v(x))
