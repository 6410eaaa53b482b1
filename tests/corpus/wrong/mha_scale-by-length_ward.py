# wrong: mha scale-by-length line 20
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        self.Wq = nn.Parameter(torch.randn(num_heads, hidden_dim, d) / hidden_dim ** 0.5)
        self.Wk = nn.Parameter(torch.randn(num_heads, hidden_dim, d) / hidden_dim ** 0.5)
        self.Wv = nn.Parameter(torch.randn(num_heads, hidden_dim, d) / hidden_dim ** 0.5)
        self.Wo = nn.Parameter(torch.randn(num_heads, d, hidden_dim) / hidden_dim ** 0.5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q = torch.einsum("btc,hcd->bhtd", x, self.Wq)
        k = torch.einsum("btc,hcd->bhtd", x, self.Wk)
        v = torch.einsum("btc,hcd->bhtd", x, self.Wv)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / x.shape[1] ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        w = self.dropout(s.softmax(-1))
        return torch.einsum("bhqk,bhkd,hdc->bqc", w, v, self.Wo)
