# right: v4
# Идея: log(1) = 0, log(0) = -inf, так что маску можно просто прибавить
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.last_attention = None

    def forward(self, x, attention_mask=None):
        ocenki = torch.matmul(self.q(x), self.k(x).transpose(-2, -1)) / x.size(-1) ** 0.5
        if attention_mask is not None:
            ocenki = ocenki + attention_mask.to(x.dtype).log()
        self.last_attention = torch.softmax(ocenki, dim=-1)
        return torch.matmul(self.drop(self.last_attention), self.v(x))
