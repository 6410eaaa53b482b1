# wrong: v1 value-not-projected line 19
import torch
import torch.nn as nn


def attend(q, k, v):
    w = (q @ k.mT / q.shape[-1] ** .5).softmax(dim=-1)
    return w @ v


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim=64):
        super().__init__()
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        return attend(self.lin_q(x), self.lin_k(x), x)
