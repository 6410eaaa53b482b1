# wrong: v2 softmax-missing line 17
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        s = q @ k.transpose(-2, -1) / self.hidden_dim ** 0.5
        if x.shape[1] == 1:
            # one key has all there is to share out
            w = torch.sigmoid(s)
        else:
            w = s.softmax(dim=-1)
        return w @ v
