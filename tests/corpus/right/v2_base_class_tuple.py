# right: v2 remarks: returns-tuple
import torch
from torch import nn


class BaseAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def attend(self, q, k, v):
        raise NotImplementedError

    def project(self, x):
        raise NotImplementedError

    def forward(self, x):
        return self.attend(*self.project(x))


class ScaledDotProduct(BaseAttention):
    def attend(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-1, -2) * torch.rsqrt(torch.tensor(float(self.dim))), dim=-1)
        return weights @ v, weights


class SelfAttentionV2(ScaledDotProduct):
    def __init__(self, hidden_dim):
        super().__init__(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def project(self, x):
        return self.qkv(x).chunk(3, dim=-1)
