import torch
from torch import nn


class FusedProjection(nn.Module):
    def __init__(self, nx, n_split=3):
        super().__init__()
        self.nx, self.n_split = nx, n_split
        self.c_attn = nn.Linear(nx, n_split * nx)

    def forward(self, x):
        return self.c_attn(x).split(self.nx, dim=-1)


class AttentionCore(nn.Module):
    """No parameters, so that it may be swapped for something faster later on."""

    def forward(self, q, k, v):
        if not (q.shape == k.shape == v.shape):
            raise ValueError(f"shapes differ: {q.shape}, {k.shape}, {v.shape}")
        # half the scale on each side keeps fp16 products small
        s = q.shape[-1] ** -0.25
        w = torch.matmul(q * s, (k * s).transpose(-2, -1))
        return torch.matmul(w.float().softmax(-1).to(v.dtype) if w.dtype.itemsize < 4 else w.softmax(-1), v)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        if hidden_dim <= 0:
            raise ValueError("hidden_dim must be positive")
        self.proj = FusedProjection(hidden_dim)
        self.core = AttentionCore()
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        if x.dim() != 3:
            raise ValueError("expected (batch, length, hidden_dim)")
        return self.c_proj(self.core(*self.proj(x)))
