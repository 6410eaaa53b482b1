import torch
from torch import nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    """One (D, 4D) kernel: q | k | v | out."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.dim, self.heads, self.rate = hidden_dim, num_heads, dropout
        self.weight = nn.Parameter(torch.randn(hidden_dim, 4 * hidden_dim) * hidden_dim**-0.5)

    def project(self, query, key, value):
        wq, wk, wv, _ = self.weight.chunk(4, dim=1)
        if key is value:
            # one product for the source
            memory = key @ wk
            return query @ wq, memory, memory
        return query @ wq, key @ wk, value @ wv

    def forward(self, query, key, value, mask=None):
        b, tq, d = query.shape
        q, k, v = (t.view(b, -1, self.heads, d // self.heads).transpose(1, 2) for t in self.project(query, key, value))
        w = q @ k.transpose(2, 3) * (d // self.heads) ** -0.5
        if mask is not None:
            w = w.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(w.dtype).min)
        w = F.dropout(w.softmax(dim=3), self.rate, self.training)
        return (w @ v).transpose(1, 2).reshape(b, tq, d) @ self.weight[:, 3 * self.dim :]
