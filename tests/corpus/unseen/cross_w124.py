# Julia habits: a sequence is a matrix with one COLUMN per position, so the attention matrix
# has one column per query and every column adds up to 1.
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.nheads = num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def columns(self, Y):
        # (B, T, D) -> (B, H, d, T)
        return Y.mT.unflatten(1, (self.nheads, -1))

    def forward(self, query, key, value, mask=None):
        Q = self.columns(self.Wq(query))
        K = self.columns(self.Wk(key))
        V = self.columns(self.Wv(value))
        B, H, d, Tq = Q.shape
        Tk = K.shape[3]
        S = K.mT @ Q / d ** 0.5                                  # (B, H, Tk, Tq)
        if mask is not None:
            M = mask.reshape(B, 1, Tk, Tq)
            S = S.masked_fill(M == 0, torch.finfo(S.dtype).min)
        A = self.drop(torch.softmax(S, dim=2))
        O = V @ A                                                # (B, H, d, Tq)
        return self.Wo(O.flatten(1, 2).mT)
