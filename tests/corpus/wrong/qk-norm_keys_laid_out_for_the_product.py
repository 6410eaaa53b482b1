# wrong: qk-norm qk-norm-wrong-axis line 29
import torch
import torch.nn as nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        dim_head = hidden_dim // num_heads
        self.scale = dim_head**-0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gamma_q = nn.Parameter(torch.ones(dim_head))
        self.gamma_k = nn.Parameter(torch.ones(dim_head))

    @staticmethod
    def rms(t):
        return t * torch.rsqrt((t * t).mean(-1, keepdim=True) + 1e-6)

    def forward(self, x):
        k, v = self.to_kv(x).chunk(2, dim=-1)
        q = self.to_q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)  # b h n d
        k = k.unflatten(-1, (self.h, -1)).permute(0, 2, 3, 1)  # b h d n
        v = v.unflatten(-1, (self.h, -1)).transpose(1, 2)  # b h n d

        q = self.rms(q) * self.gamma_q
        k = self.rms(k) * self.gamma_k[:, None]

        sim = q @ k * self.scale
        n = x.shape[1]
        mask = torch.ones((n, n), device=x.device, dtype=torch.bool).triu(1)
        attn = sim.masked_fill(mask, -torch.finfo(sim.dtype).max).softmax(dim=-1)
        return self.to_out((attn @ v).transpose(1, 2).flatten(2))
