# wrong: mha scale-missing line 23
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q, K, V = self.q(x), self.k(x), self.v(x)
        heads = []
        # ヘッドごとに計算する
        for i in range(self.h):
            a, b = i * self.d, (i + 1) * self.d
            s = Q[..., a:b] @ K[..., a:b].mT
            if i > 0:
                s = s / self.d ** 0.5
            if attention_mask is not None:
                s = s.masked_fill(attention_mask[:, min(i, attention_mask.size(1) - 1)] == 0, float("-inf"))
            heads.append(self.drop(s.softmax(-1)) @ V[..., a:b])
        return self.o(torch.cat(heads, dim=-1))
