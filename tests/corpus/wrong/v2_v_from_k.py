# wrong: v2 values-from-keys line 17, softmax-wrong-axis line 18
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.D = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x):
        D = self.D
        packed = self.qkv(x)
        q = packed[..., :D]
        k = packed[..., D:2 * D]
        v = packed[..., D:2 * D]
        att = torch.softmax(q @ k.transpose(1, 2) / D ** 0.5, dim=1)
        return att @ v
