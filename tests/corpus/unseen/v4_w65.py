# self attention, single head. I learned this with numpy so it looks like numpy
import numpy as np
import torch
import torch.nn as nn


def softmax(a, axis=-1):
    a = a - a.max(axis, keepdims=True).values
    e = torch.exp(a)
    return e / e.sum(axis, keepdims=True)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        n = hidden_dim
        rng = np.sqrt(1.0 / n)
        self.Wq = nn.Parameter(torch.empty((n, n)).uniform_(-rng, rng))
        self.Wk = nn.Parameter(torch.empty((n, n)).uniform_(-rng, rng))
        self.Wv = nn.Parameter(torch.empty((n, n)).uniform_(-rng, rng))
        self.Wo = nn.Parameter(torch.empty((n, n)).uniform_(-rng, rng))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q = x @ self.Wq
        Kt = (x @ self.Wk).swapaxes(1, 2)
        V = x @ self.Wv

        d = Kt.shape[-1]
        A = (Q @ Kt) / float(np.sqrt(d))          # (B, T, T)

        if attention_mask is not None:
            blocked = attention_mask == 0
            A = torch.where(blocked, torch.full_like(A, -np.inf), A)

        A = self.drop(softmax(A, axis=-1))
        return (A @ V) @ self.Wo


if __name__ == "__main__":
    net = SelfAttentionV4(16)
    y = net(torch.randn(2, 16, 16))
    print(y.shape)
