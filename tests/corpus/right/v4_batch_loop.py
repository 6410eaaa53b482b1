# right: v4
import torch
import torch.nn as nn


def attend(q, k, v, keep, drop):
    """one sentence: q, k, v are (T, D), keep is (T, T) or None"""
    scores = torch.mm(q, k.t()) / (q.shape[1] ** 0.5)
    if keep is not None:
        scores = scores.masked_fill(keep == 0, float("-inf"))
    return torch.mm(drop(torch.softmax(scores, dim=1)), v)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.get_queries = nn.Linear(hidden_dim, hidden_dim)
        self.get_keys = nn.Linear(hidden_dim, hidden_dim)
        self.get_values = nn.Linear(hidden_dim, hidden_dim)
        self.finish = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        masks = [None] * len(x) if attention_mask is None else attention_mask
        rows = zip(self.get_queries(x), self.get_keys(x), self.get_values(x), masks)
        return self.finish(torch.stack([attend(*row, self.drop) for row in rows]))
