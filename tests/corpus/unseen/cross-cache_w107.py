import math
import torch
import torch.nn as nn


class CachedCrossAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.dim_per_head = hidden_dim // num_heads
        self.q_lin = nn.Linear(hidden_dim, hidden_dim)
        self.k_lin = nn.Linear(hidden_dim, hidden_dim)
        self.v_lin = nn.Linear(hidden_dim, hidden_dim)
        self.out_lin = nn.Linear(hidden_dim, hidden_dim)

    def shape(self, x):
        return x.view(x.size(0), -1, self.n_heads, self.dim_per_head).transpose(1, 2)

    def unshape(self, x):
        return x.transpose(1, 2).contiguous().view(x.size(0), -1, self.n_heads * self.dim_per_head)

    def forward(self, x, memory, memory_lengths, cache=None):
        q = self.shape(self.q_lin(x)) / math.sqrt(self.dim_per_head)
        padding = None
        if cache is None:
            k = self.shape(self.k_lin(memory))
            v = self.shape(self.v_lin(memory))
            slots = torch.arange(memory.size(1), device=x.device)
            padding = (slots >= memory_lengths.unsqueeze(1))[:, None, None]
            cache = (k, v)
        else:
            k, v = cache
        scores = q @ k.transpose(2, 3)
        if padding is not None:
            scores = scores.masked_fill(padding, float("-inf"))
        weights = scores.softmax(dim=-1)
        context = self.unshape(weights @ v)
        return self.out_lin(context), cache
