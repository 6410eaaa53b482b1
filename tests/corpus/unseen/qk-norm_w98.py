import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        dim_head = hidden_dim // num_heads
        self.to_qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.query_gain = nn.Parameter(torch.ones(dim_head))
        self.key_gain = nn.Parameter(torch.ones(dim_head))
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        b, n, _ = x.shape
        qkv = self.to_qkv(x).reshape(b, n, 3, self.heads, -1)

        # queries and keys are normed in one go, values stay as they are
        qk = qkv[:, :, :2]
        mean_square = qk.pow(2).mean(dim=3, keepdim=True)
        q, k = (qk * torch.rsqrt(mean_square + 1e-6)).unbind(2)
        q, k, v = q * self.query_gain, k * self.key_gain, qkv[:, :, 2]

        sim = torch.einsum('b i h d, b j h d -> b h i j', q, k) * q.shape[-1] ** -0.5
        i = torch.arange(n, device=x.device)
        sim = sim.masked_fill(i[:, None] < i[None, :], -torch.finfo(sim.dtype).max)
        out = torch.einsum('b h i j, b j h d -> b i h d', sim.softmax(dim=-1), v)
        return self.to_out(out.reshape(b, n, -1))
