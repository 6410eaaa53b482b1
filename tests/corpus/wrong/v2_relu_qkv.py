# wrong: v2 activation-added line 11
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super(SelfAttentionV2, self).__init__()
        self.qkv = nn.Sequential(
            nn.Linear(hidden_dim, 3 * hidden_dim),
            nn.ReLU(),
        )
        self.scale = hidden_dim ** 0.5

    def forward(self, x):
        Q, K, V = self.qkv(x).chunk(3, dim=2)
        A = torch.softmax(Q @ K.transpose(1, 2) / self.scale, dim=2)
        return A @ V
