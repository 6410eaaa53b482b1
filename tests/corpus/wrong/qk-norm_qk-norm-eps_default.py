# wrong: qk-norm qk-norm-eps line 15
import torch
from torch import nn


class QKNormAttention(nn.Module):
    """One parameter tensor per projection, (heads, hidden, head_dim)."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        for name in ("wq", "wk", "wv"):
            self.register_parameter(name, nn.Parameter(torch.randn(num_heads, hidden_dim, d) * hidden_dim ** -0.5))
        self.wo = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim ** -0.5)
        self.q_norm = nn.RMSNorm(d)
        self.k_norm = nn.RMSNorm(d)

    def forward(self, x):
        q = self.q_norm(torch.einsum("btc,hcd->bhtd", x, self.wq))
        k = self.k_norm(torch.einsum("btc,hcd->bhtd", x, self.wk))
        v = torch.einsum("btc,hcd->bhtd", x, self.wv)
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        pos = torch.arange(x.shape[1], device=x.device)
        s = torch.where(pos[:, None] >= pos, s, float("-inf"))
        o = torch.einsum("bhij,bhjd->bhid", torch.softmax(s, -1), v)
        return torch.einsum("bhtd,hdc->btc", o, self.wo)
