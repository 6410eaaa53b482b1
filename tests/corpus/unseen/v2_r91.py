import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, hidden_dim, hidden_dim) * hidden_dim ** -0.5)

    def forward(self, x):
        q, k, v = torch.einsum("btd,cde->cbte", x, self.w)
        return torch.baddbmm(
            x.new_zeros(()), q, k.transpose(1, 2), beta=0, alpha=q.shape[-1] ** -0.5
        ).softmax(-1).bmm(v)
