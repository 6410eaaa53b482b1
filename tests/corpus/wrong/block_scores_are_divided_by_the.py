# wrong: block scale-by-hidden-dim line 13
# fair: scale-by-hidden-dim 21
import torch
from torch import nn


class TransformerBlock(nn.Module):
    """W is (what, head, in, out); everything per head, heads summed by the output projection."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        c, h = hidden_dim, num_heads
        self.scale = hidden_dim ** 0.5
        self.w_in = nn.Parameter(torch.randn(3, h, c, c // h) * c ** -0.5)
        self.w_out = nn.Parameter(torch.randn(h, c // h, c) * c ** -0.5)
        self.norms = nn.ModuleList([nn.LayerNorm(c), nn.LayerNorm(c)])
        self.feedforward = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c))

    def mix(self, u):
        q, k, v = torch.einsum("btc,ahcd->abhtd", u, self.w_in)
        e = torch.einsum("bhid,bhjd->bhij", q, k) / self.scale
        seen = torch.ones(e.shape[-2:], dtype=torch.bool, device=e.device).tril()
        e = e.where(seen, e.new_tensor(float("-inf")))
        a = (e - e.logsumexp(-1, keepdim=True)).exp()
        return torch.einsum("bhij,bhjd,hdc->bic", a, v, self.w_out)

    def forward(self, x):
        for norm, part in zip(self.norms, (self.mix, self.feedforward)):
            x = x + part(norm(x))
        return x
