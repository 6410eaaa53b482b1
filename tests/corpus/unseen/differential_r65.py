import math
import torch
import torch.nn.functional as F
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads // 2
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq = nn.Parameter(torch.randn(2, self.d) * 0.1)
        self.lk = nn.Parameter(torch.randn(2, self.d) * 0.1)
        self.subln = nn.Parameter(torch.ones(2 * self.d))

    def forward(self, x):
        B, N, C = x.shape
        H, D = self.h, self.d
        qkv = self.wqkv(x).view(B, N, 3, C)
        q, k = (t.view(B, N, 2 * H, D).transpose(1, 2).reshape(B * 2 * H, N, D)
                for t in (qkv[:, :, 0], qkv[:, :, 1]))
        v = qkv[:, :, 2].view(B, N, H, 2 * D).transpose(1, 2)
        mask = torch.full((N, N), -math.inf, dtype=x.dtype, device=x.device).triu_(1)
        a = torch.baddbmm(mask, q, k.mT, alpha=D ** -0.5).softmax(-1)
        # signed combination of the pair in one contraction: [1, -lambda]
        e = (self.lq * self.lk).sum(1).exp()
        lam = e[0] - e[1] + self.lambda_init
        sign = torch.stack([torch.ones_like(lam), -lam])
        a = torch.einsum("bhmij,m->bhij", a.view(B, H, 2, N, N), sign)
        o = F.rms_norm(a @ v, (2 * D,), self.subln * (1 - self.lambda_init), eps=1e-5)
        return self.wo(o.transpose(1, 2).reshape(B, N, C))
