import torch
from torch import nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        batch, seq_len, dim = query.shape

        xq = self.wq(query).view(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(key).view(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        xv = self.wv(value).view(batch, seq_len, self.num_heads, self.head_dim).transpose(1, 2)

        scores = xq @ xk.transpose(-2, -1) / self.head_dim ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None] == 0, torch.finfo(scores.dtype).min)
        scores = self.dropout(F.softmax(scores, dim=-1))
        output = scores @ xv
        output = output.transpose(1, 2).contiguous().view(batch, seq_len, dim)
        return self.wo(output)
