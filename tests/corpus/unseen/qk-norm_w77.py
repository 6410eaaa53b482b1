import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.heads = num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.norm_q = nn.RMSNorm(head_dim, eps=1e-6)
        self.norm_k = nn.RMSNorm(head_dim, eps=1e-6)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        n = x.shape[1]
        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        q, k = self.norm_q(q), self.norm_k(k)
        sim = torch.einsum("bhid,bhjd->bhij", q, k)
        i = torch.arange(n, device=x.device)
        sim = sim.masked_fill(i[None, :] > i[:, None], -torch.finfo(sim.dtype).max)
        out = torch.einsum("bhij,bhjd->bihd", sim.softmax(dim=-1), v)
        return self.to_out(out.flatten(2))
