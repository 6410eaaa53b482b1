import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Multi-head self-attention; all heads of all samples in one product."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def heads(self, t):
        return t.unflatten(2, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        q, k, v = map(self.heads, self.wqkv(x).chunk(3, dim=2))
        scores = torch.matmul(q, k.transpose(2, 3)).mul_(self.head_dim ** -0.5)
        if attention_mask is not None:
            bias = attention_mask.to(scores.dtype)
            bias.sub_(1).mul_(torch.finfo(scores.dtype).max)      # 1 -> 0, 0 -> lowest
            scores.add_(bias)
        weights = self.dropout(scores.softmax(dim=3))
        return self.wo(torch.matmul(weights, v).transpose(1, 2).flatten(2))
