import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(3))

    def forward(self, x):
        _, d = x.shape[:2]
        query, key, value = [layer(x) for layer in self.layers]
        # [n, t, c] x [n, c, t] -> [n, t, t]
        similarity = torch.einsum("ntc,nsc->nts", query, key).div(d ** 0.5)
        mix = similarity.softmax(dim=-1)
        return torch.einsum("nts,nsc->ntc", mix, value)
