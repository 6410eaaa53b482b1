# wrong: v4 dropout-rate-wrong line 13
"""Self-attention, one head; own dropout so that there is nothing hidden."""
import torch
from torch import nn


def inverted_dropout(a, p, active):
    if not active or p == 0:
        return a
    if p == 1:
        return torch.zeros_like(a)
    keep = 1 - p
    gate = torch.empty_like(a).bernoulli_(p)
    return a * gate / keep


class SelfAttentionV4(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.p_drop = dropout
        self.d = hidden_dim

    def forward(self, x, attention_mask=None):
        Q = self.Wq(x)                                  # B L D
        K = self.Wk(x)                                  # B L D
        V = self.Wv(x)                                  # B L D
        S = torch.einsum("bid,bjd->bij", Q, K)          # B L L
        S = S * self.d ** -0.5
        if attention_mask is not None:
            S[attention_mask == 0] = float("-inf")
        A = torch.softmax(S, dim=2)
        A = inverted_dropout(A, self.p_drop, self.training)
        return torch.einsum("bij,bjd->bid", A, V)       # B L D
