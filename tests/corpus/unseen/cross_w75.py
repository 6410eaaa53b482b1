# i: target position, j: source position, h: head
import torch
from torch import einsum, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        d = hidden_dim // num_heads
        mk = lambda: nn.Parameter(torch.randn(hidden_dim, num_heads, d) / hidden_dim**0.5)
        self.W_Q, self.W_K, self.W_V, self.W_O = mk(), mk(), mk(), mk()
        self.tau = d**0.5
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        Q = einsum("bic,chd->bhid", query, self.W_Q)
        K = einsum("bjc,chd->bhjd", key, self.W_K)
        V = einsum("bjc,chd->bhjd", value, self.W_V)
        S = einsum("bhid,bhjd->bhij", Q, K) / self.tau
        if mask is not None:
            M = mask[:, None].bool()                      # (b, 1, i, j)
            S = S.masked_fill(M, float("-inf"))
        A = self.drop(S.softmax(dim=-1))
        return einsum("bhij,bhjd,chd->bic", A, V, self.W_O)
