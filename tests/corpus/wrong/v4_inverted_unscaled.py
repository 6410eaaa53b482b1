# wrong: v4 scale-missing line 7, mask-inverted line 13
import torch
import torch.nn as nn


def get_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1))


def apply_mask(scores, mask):
    if mask is None:
        return scores
    return scores.masked_fill(mask == 1, -1e9)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, hidden_dim)
        self.w_v = nn.Linear(hidden_dim, hidden_dim)
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        scores = apply_mask(get_scores(self.w_q(x), self.w_k(x)), attention_mask)
        return torch.matmul(self.dropout(self.softmax(scores)), self.w_v(x))
