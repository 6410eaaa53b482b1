import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """Q K V self attention, one head."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        keep_prob = 1.0 - dropout
        self.units = hidden_dim
        self.dense_q = nn.Linear(hidden_dim, hidden_dim)
        self.dense_k = nn.Linear(hidden_dim, hidden_dim)
        self.dense_v = nn.Linear(hidden_dim, hidden_dim)
        self.weights_dropout = nn.Dropout(keep_prob)

    def forward(self, x, attention_mask=None):
        q, k, v = self.dense_q(x), self.dense_k(x), self.dense_v(x)
        logits = torch.einsum('bqd,bkd->bqk', q, k) * self.units ** -0.5
        if attention_mask is not None:
            blocked = attention_mask == 0
            logits = logits.masked_fill(blocked, float('-inf'))
        weights = self.weights_dropout(logits.softmax(-1))
        return torch.einsum('bqk,bkd->bqd', weights, v)
