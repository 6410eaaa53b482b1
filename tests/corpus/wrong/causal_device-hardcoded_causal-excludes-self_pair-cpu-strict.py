# wrong: causal device-hardcoded line 8, causal-excludes-self line 10
# fair: device-hardcoded 8 9
import torch
import torch.nn as nn


def lower_triangle(size):
    rows = torch.arange(size).unsqueeze(1)
    cols = torch.arange(size).unsqueeze(0)
    return rows > cols


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.lin = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x):
        q, k, v = (l(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for l in self.lin[:3])
        s = q.matmul(k.mT).div(q.size(-1) ** 0.5)
        s = s.masked_fill(~lower_triangle(x.size(1)), -1e9)
        return self.lin[3](s.softmax(-1).matmul(v).transpose(1, 2).flatten(2))
