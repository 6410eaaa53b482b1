# Convention: i runs over queries, j over keys, alpha/beta over features.
import torch
from torch import einsum, nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        g = hidden_dim**-0.5
        self.W_Q = nn.Parameter(g * torch.randn(hidden_dim, hidden_dim))
        self.W_K = nn.Parameter(g * torch.randn(hidden_dim, hidden_dim))
        self.W_V = nn.Parameter(g * torch.randn(hidden_dim, hidden_dim))
        self.W_O = nn.Parameter(g * torch.randn(hidden_dim, hidden_dim))
        self.g = g
        self.zeta = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q = einsum("bia,ac->bic", x, self.W_Q)
        K = einsum("bja,ac->bjc", x, self.W_K)
        V = einsum("bja,ac->bjc", x, self.W_V)
        # column-stochastic convention, as in the thesis: E[b, j, i], sum over j equals one
        E = self.g * einsum("bjc,bic->bji", K, Q)
        if attention_mask is not None:
            E = E.masked_fill(attention_mask == 0, torch.finfo(E.dtype).min)
        P = self.zeta(E.softmax(dim=1))
        return einsum("bji,bjc,cd->bid", P, V, self.W_O)
