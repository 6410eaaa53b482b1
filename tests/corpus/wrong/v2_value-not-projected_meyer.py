# wrong: v2 value-not-projected line 16
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 2 * hidden_dim)

    def forward(self, x):
        # zwei Teile reichen, die Werte sind die Eingabe
        q, k = self.qkv(x).split(self.hidden_dim, dim=-1)
        w = torch.softmax(q @ k.mT / self.hidden_dim ** 0.5, dim=-1)
        return w @ x
