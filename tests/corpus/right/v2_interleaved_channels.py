# right: v2
# q, k, v sit side by side for every channel: (D, 3) instead of (3, D)
import torch


class SelfAttention(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.mix = torch.nn.Linear(dim, dim * 3)

    def forward(self, x):
        batch, length = x.shape[:2]
        qkv = self.mix(x).view(batch, length, self.dim, 3)
        q = qkv[..., 0]
        k = qkv[..., 1]
        v = qkv[..., 2]
        att = torch.matmul(q, k.transpose(1, 2)) / self.dim ** 0.5
        att = torch.nn.functional.softmax(att, dim=-1)
        return torch.matmul(att, v)
