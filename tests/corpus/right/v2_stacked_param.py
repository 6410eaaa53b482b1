# right: v2
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        # one tensor for the three of them: [which, in, out]
        self.w_qkv = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        nn.init.kaiming_uniform_(self.w_qkv, a=5 ** 0.5)

    def forward(self, x):
        q, k, v = torch.einsum("bti,pio->pbto", x, self.w_qkv)
        energy = torch.einsum("bto,bso->bts", q, k)
        weights = torch.softmax(energy / (x.shape[2] ** 0.5), dim=2)
        return torch.einsum("bts,bso->bto", weights, v)
