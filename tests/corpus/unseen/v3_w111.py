import torch
from torch import nn


class Attend(nn.Module):
    """Attention distribution, with dropout."""

    def __init__(self, units, keep_prob):
        super().__init__()
        self.units = units
        self.dropout = nn.Dropout(keep_prob)

    def forward(self, query, key, mask):
        logits = torch.matmul(query, key.transpose(1, 2)) / self.units ** 0.5
        if mask is not None:
            logits = torch.where(mask.to(torch.bool), logits, torch.finfo(logits.dtype).min)
        return self.dropout(torch.softmax(logits, dim=-1))


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dense_q = nn.Linear(hidden_dim, hidden_dim)
        self.dense_k = nn.Linear(hidden_dim, hidden_dim)
        self.dense_v = nn.Linear(hidden_dim, hidden_dim)
        self.dense_out = nn.Linear(hidden_dim, hidden_dim)
        self.attend = Attend(hidden_dim, keep_prob=1.0 - dropout)

    def forward(self, x, attention_mask=None):
        weights = self.attend(self.dense_q(x), self.dense_k(x), attention_mask)
        return self.dense_out(torch.matmul(weights, self.dense_v(x)))
