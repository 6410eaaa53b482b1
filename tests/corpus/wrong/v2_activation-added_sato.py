# wrong: v2 activation-added line 15
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.in_proj = nn.Linear(hidden_dim, hidden_dim * 3)

    def forward(self, x):
        # 活性化してから分割
        h = F.relu(self.in_proj(x))
        q = h[..., :self.hidden_dim]
        k = h[..., self.hidden_dim:2 * self.hidden_dim]
        v = h[..., 2 * self.hidden_dim:]
        s = q @ k.transpose(1, 2) / self.hidden_dim ** 0.5
        return F.softmax(s, dim=2) @ v
