# wrong: v1 detached line 18
import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.a = nn.Linear(hidden_dim, hidden_dim)
        self.b = nn.Linear(hidden_dim, hidden_dim)
        self.c = nn.Linear(hidden_dim, hidden_dim)
        self.weights = None

    def forward(self, x):
        s = self.a(x) @ self.b(x).transpose(-1, -2) / self.hidden_dim ** 0.5
        # keep them around for plotting
        self.weights = s.softmax(dim=-1).data
        return self.weights @ self.c(x)
