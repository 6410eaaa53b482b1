# wrong: mha heads-not-split line 20
# fair: heads-not-split 20 21 22
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, d = x.shape
        q = self.wq(x).unsqueeze(1)
        k = self.wk(x).unsqueeze(1)
        v = self.wv(x).unsqueeze(1)
        scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e9)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        out = (weights @ v).transpose(1, 2).reshape(b, t, d)
        return self.wo(out)
