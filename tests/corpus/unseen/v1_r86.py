import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.embed_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.embed_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.embed_v = nn.Linear(hidden_dim, hidden_dim, bias=True)

    def forward(self, x):
        # work on transposed scores (b, keys, queries): softmax then runs down the columns
        k_scaled = self.embed_k(x) * x.shape[-1] ** -0.5
        energy = torch.einsum("bse,bte->bst", k_scaled, self.embed_q(x))
        shifted = energy - energy.amax(dim=1, keepdim=True)
        p = shifted.exp()
        p = p / p.sum(dim=1, keepdim=True)
        return torch.einsum("bst,bse->bte", p, self.embed_v(x))
