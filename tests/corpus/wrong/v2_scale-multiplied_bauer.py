# wrong: v2 scale-multiplied line 16
# note: the table has no exact id for this, the header names the nearest
import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.temperature = 1.01

    def forward(self, x):
        q, k, v = torch.chunk(self.qkv(x), 3, dim=2)
        s = torch.bmm(q, k.transpose(1, 2)) * q.shape[2] ** -0.5
        return torch.bmm(torch.softmax(s / self.temperature, dim=2), v)
