import torch
import torch.nn as nn


class PrefixHead(nn.Module):
    """Position t attends to x[:, :t+1]; no mask tensor anywhere."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.query = nn.Linear(n_in, n_out, bias=False)
        self.key = nn.Linear(n_in, n_out, bias=False)
        self.value = nn.Linear(n_in, n_out, bias=False)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        q = q * q.size(-1) ** -0.5
        ys = []
        for t in range(x.size(1)):
            past_k = k.narrow(1, 0, t + 1)
            past_v = v.narrow(1, 0, t + 1)
            a = (q[:, t : t + 1] @ past_k.mT).softmax(-1)
            ys.append(a @ past_v)
        return torch.cat(ys, 1)


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.block_size = block_size
        size = hidden_dim // num_heads
        self.heads = nn.ModuleList(PrefixHead(hidden_dim, size) for _ in range(num_heads))

    def forward(self, x):
        assert x.size(1) <= self.block_size
        return torch.cat([h(x) for h in self.heads], dim=-1)
