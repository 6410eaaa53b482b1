import torch
from torch import nn
from torch.func import vmap


def one(q, k, v, allow):
    # q (Tq, d)  k, v (Tk, d)  allow (Tq, Tk)
    s = q @ k.T / k.shape[-1] ** 0.5
    s = torch.where(allow, s, torch.full_like(s, torch.finfo(s.dtype).min))
    return s.softmax(-1)


over_heads = vmap(one, in_dims=(1, 1, 1, None), out_dims=0)
over_batch = vmap(over_heads)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.inputs = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
        self.fc = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(t).unflatten(2, (self.h, -1)) for f, t in zip(self.inputs, (query, key, value)))
        if mask is None:
            mask = query.new_ones(query.shape[0], query.shape[1], key.shape[1])
        w = self.drop(over_batch(q, k, v, mask != 0))  # (B, H, Tq, Tk)
        return self.fc(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2))
