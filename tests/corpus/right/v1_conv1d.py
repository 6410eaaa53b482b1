# right: v1
"""Self attention on channel-first tensors, the way vision people do it."""
import torch
from torch import nn


class SelfAttn(nn.Module):
    def __init__(self, in_dim):
        super().__init__()
        self.chan = in_dim
        self.to_q = nn.Conv1d(in_dim, in_dim, kernel_size=1)
        self.to_k = nn.Conv1d(in_dim, in_dim, kernel_size=1)
        self.to_v = nn.Conv1d(in_dim, in_dim, kernel_size=1)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        x = x.permute(0, 2, 1)                                   # B x C x N
        proj_query = self.to_q(x).permute(0, 2, 1)               # B x N x C
        proj_key = self.to_k(x)                                  # B x C x N
        energy = torch.bmm(proj_query, proj_key) / self.chan ** 0.5
        attention = self.softmax(energy)                         # B x N x N
        proj_value = self.to_v(x)
        out = torch.bmm(proj_value, attention.permute(0, 2, 1))  # B x C x N
        return out.permute(0, 2, 1)
