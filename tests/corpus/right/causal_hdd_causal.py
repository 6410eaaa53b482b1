# right: causal
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """w[i] is (heads, hidden, head): i = 0 queries, 1 keys, 2 values."""

    _cache: dict = {}

    def __init__(self, hidden_dim, num_heads, max_seq_len=2048, dropout=0.0):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.w = nn.Parameter(torch.randn(3, num_heads, hidden_dim, head_dim) * hidden_dim ** -0.5)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.max_seq_len = max_seq_len

    @staticmethod
    def triangle(n, device):
        return torch.triu(torch.ones(n, n, dtype=torch.bool, device=device), 1)

    def forward(self, x, *args, **kwargs):
        n = x.size(1)
        if n > self.max_seq_len:
            raise RuntimeError("sequence too long")
        q, k, v = torch.einsum("bnc,phcd->pbhnd", x, self.w).unbind(0)
        a = torch.einsum("bhid,bhjd->bhij", q, k) / self.w.size(-1) ** 0.5
        a = a.masked_fill(self.triangle(n, x.device), float("-inf")).softmax(-1)
        y = torch.einsum("bhij,bhjd->bihd", self.dropout(a), v)
        return self.out(y.reshape(x.shape))
