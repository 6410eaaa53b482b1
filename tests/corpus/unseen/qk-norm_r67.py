import math
import torch
from torch import nn


class GemmaRMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * (1.0 + self.weight)


def per_head(hidden, width, heads):
    return nn.ModuleList(nn.Linear(hidden, width) for _ in range(heads))


class QKNormAttention(nn.Module):
    """Every head a list entry; the two norms are used by all of them."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        width = hidden_dim // num_heads
        self.layers = nn.ModuleDict()
        for role in ("key", "query", "value"):
            self.layers[role] = per_head(hidden_dim, width, num_heads)
        self.layers["merge"] = nn.ModuleList(
            nn.Linear(width, hidden_dim, bias=(i == 0)) for i in range(num_heads)
        )
        self.norms = nn.ModuleList([GemmaRMSNorm(width), GemmaRMSNorm(width)])
        self.root = math.sqrt(width)

    def forward(self, x):
        t = x.size(1)
        visible = torch.ones(t, t, device=x.device).tril() > 0
        result = torch.zeros_like(x)
        q_norm, k_norm = self.norms
        zipped = zip(*(self.layers[r] for r in ("query", "key", "value", "merge")))
        for wq, wk, wv, wo in zipped:
            q, k, v = q_norm(wq(x)), k_norm(wk(x)), wv(x)
            s = torch.bmm(q, k.transpose(1, 2)) / self.root
            a = torch.where(visible, s, torch.full_like(s, -torch.inf)).softmax(-1)
            result = result + wo(torch.bmm(a, v))
        return result
