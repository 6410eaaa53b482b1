import torch
from torch import nn


class QKNormAttention(nn.Module):
    # r role (query, key, value), h head, f feature, e width, s and t positions
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = hidden_dim // num_heads
        self.W = nn.Parameter(torch.randn(3, num_heads, d, hidden_dim) / hidden_dim ** 0.5)
        self.U = nn.Parameter(torch.randn(num_heads, d, hidden_dim) / hidden_dim ** 0.5)
        self.gains = nn.ParameterList([nn.Parameter(torch.ones(d)), nn.Parameter(torch.ones(d))])

    @staticmethod
    def normed(u, gain):
        # u / sqrt(|u|^2 / d + eps)
        wide = u.to(torch.promote_types(u.dtype, torch.float32))
        energy = torch.einsum("...f,...f->...", wide, wide) / u.size(-1)
        flat = torch.einsum("...f,...->...f", wide, (energy + 1e-6) ** -0.5)
        return torch.einsum("...f,f->...f", flat.to(u.dtype), gain)

    def forward(self, x):
        q, k, v = torch.einsum("nse,rhfe->rnhsf", x, self.W).unbind()
        q, k = (self.normed(u, g) for u, g in zip((q, k), self.gains))
        logits = torch.einsum("nhsf,nhtf->nhst", q, k).div(q.size(-1) ** 0.5)
        when = torch.arange(x.size(1), device=x.device)
        logits[..., when.unsqueeze(1) < when] = -torch.inf
        weights = torch.softmax(logits, -1)
        return torch.einsum("nhst,nhtf,hfe->nse", weights, v, self.U)
