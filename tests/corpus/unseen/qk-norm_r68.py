import numpy as np
import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        E, H = hidden_dim, num_heads
        D = E // H
        # axes: (feature of x, role q/k/v, feature of the head, head)
        self.a = nn.Parameter(torch.from_numpy(np.random.normal(0, E**-0.5, (E, 3, D, H))).float())
        # axes: (feature of the head, output feature, head)
        self.b = nn.Parameter(torch.from_numpy(np.random.normal(0, E**-0.5, (D, E, H))).float())
        # axes: (feature of the head, query/key)
        self.c = nn.Parameter(torch.ones(D, 2))

    @staticmethod
    def rms(u, gain):
        # u: (n, role, d, h, t)
        return u / (u.pow(2).mean(dim=2, keepdim=True) + 1e-6).sqrt() * gain.T[None, :, :, None, None]

    def forward(self, x):
        z = torch.einsum("nte,erdh->nrdht", x, self.a)
        qk = self.rms(z[:, :2], self.c)
        s = torch.einsum("ndhi,ndhj->nhij", qk[:, 0], qk[:, 1])
        s = s / np.sqrt(self.a.shape[2])
        i = torch.arange(x.shape[1], device=x.device)
        s = s.masked_fill(i[None, :] > i[:, None], -np.inf)
        w = torch.softmax(s, 3)
        return torch.einsum("nhij,ndhj,deh->nie", w, z[:, 2], self.b)
