# right: v2
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.to_all = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)

    def forward(self, x):
        bsz, seq, _ = x.shape
        # last axis = (q, k, v) of one channel
        q, k, v = self.to_all(x).view(bsz, seq, self.hidden_dim, 3).unbind(dim=-1)
        p = torch.softmax((q @ k.transpose(1, 2)) * self.hidden_dim ** -0.5, dim=-1)
        return p @ v
