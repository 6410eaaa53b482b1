# wrong: v2 softmax-wrong-axis line 13
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        w = (q @ k.mT * q.shape[-1] ** -0.5).softmax(-2)
        return w @ v
