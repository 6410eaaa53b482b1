# wrong: v1 nondeterministic line 17
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        s = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
        if self.training:
            # a little exploration while learning
            s = s + 0.1 * torch.randn_like(s)
        return s.softmax(-1) @ self.v(x)
