# wrong: v1 layers-shared line 11
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        w = torch.randn(hidden_dim, hidden_dim) / hidden_dim**0.5
        self.wq = nn.Parameter(w)
        self.wk = nn.Parameter(w)
        self.wv = nn.Parameter(w.clone())

    def forward(self, x):
        q, k, v = x @ self.wq, x @ self.wk, x @ self.wv
        return ((q @ k.mT) / x.shape[-1] ** 0.5).softmax(-1) @ v
