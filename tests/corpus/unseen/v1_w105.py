import torch
import torch.nn as nn


def stable_softmax(s):
    m = s.amax(1, keepdim=True)
    e = (s - m).exp()
    return e / e.sum(2, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.d = hidden_dim

    def forward(self, x):
        q, k, v = self.Wq(x), self.Wk(x), self.Wv(x)
        s = q @ k.mT * self.d ** -0.5  # (b, t, t)
        return stable_softmax(s) @ v
