# wrong: v4 length-fixed line 21 (error)
# fair: length-fixed 21 22 23
import torch
import torch.nn as nn
import torch.nn.functional as F

MAX_LEN = 16


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.Q = nn.Linear(hidden_dim, hidden_dim)
        self.K = nn.Linear(hidden_dim, hidden_dim)
        self.V = nn.Linear(hidden_dim, hidden_dim)
        self.O = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.Q(x).view(-1, MAX_LEN, self.hidden_dim)
        k = self.K(x).view(-1, MAX_LEN, self.hidden_dim)
        v = self.V(x).view(-1, MAX_LEN, self.hidden_dim)
        scores = torch.bmm(q, k.mT) / self.hidden_dim ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float('-inf'))
        weights = self.drop(F.softmax(scores, dim=-1))
        return self.O(torch.bmm(weights, v))
