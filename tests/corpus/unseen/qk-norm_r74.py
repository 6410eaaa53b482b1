import torch
from torch import nn


class GemmaNorm(nn.Module):
    def __init__(self, n, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(n))     # less 1

    def forward(self, u):
        w = u.to(torch.promote_types(u.dtype, torch.float32))
        inv = torch.linalg.vector_norm(w, dim=-1, keepdim=True).square().div(w.shape[-1]).add(self.eps).rsqrt()
        return (w * inv * (1 + self.weight)).to(u.dtype)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.proj = nn.ModuleDict({r: nn.Linear(hidden_dim, hidden_dim) for r in ("q", "k", "v", "o")})
        self.norm = nn.ModuleDict({"q": GemmaNorm(self.d), "k": GemmaNorm(self.d), "v": nn.Identity()})

    def _role(self, r, x):
        return self.norm[r](self.proj[r](x).unflatten(2, (self.h, self.d))).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = [self._role(r, x) for r in "qkv"]
        s = torch.matmul(q, k.mT).div(self.d ** 0.5)
        i = torch.arange(x.shape[1], device=x.device)
        s = torch.where(i[:, None] < i, -torch.inf, s)
        return self.proj["o"]((s.softmax(-1) @ v).permute(0, 2, 1, 3).flatten(2))
