import math
import torch
from torch import nn
import torch.nn.functional as F


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.heads = num_heads
        self.hd = hidden_dim // (2 * num_heads)
        self.init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.Wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        # lam[i, 0] is lq_{i+1}, lam[i, 1] is lk_{i+1}
        self.lam = nn.Parameter(torch.randn(2, 2, self.hd) * 0.1)
        self.gamma = nn.Parameter(torch.ones(2 * self.hd))

    @property
    def lambda_full(self):
        first, second = self.lam.prod(dim=1).sum(-1).exp()
        return first - second + self.init

    def forward(self, x):
        b, n, e = x.shape
        q, k, v = self.Wqkv(x).chunk(3, -1)
        q = q.view(b, n, self.heads, 2, self.hd)
        k = k.view(b, n, self.heads, 2, self.hd)
        v = v.view(b, n, self.heads, 2 * self.hd)
        s = torch.einsum("bihmd,bjhmd->mbhij", q, k) * self.hd**-0.5
        m = torch.ones(n, n, device=x.device, dtype=torch.bool).tril()
        a1, a2 = s.masked_fill(~m, -math.inf).softmax(-1)
        y = torch.einsum("bhij,bjhe->bihe", a1 - self.lambda_full * a2, v)
        y = F.rms_norm(y, (2 * self.hd,), self.gamma, 1e-5) * (1 - self.init)
        return self.out_proj(y.reshape(b, n, e))
