# right: differential
import torch
from torch import nn, einsum


class DiffAttention(nn.Module):
    """b batch, t/s positions, h heads, c the two maps, d features"""

    def __init__(self, d_model, n_heads, layer_idx):
        super().__init__()
        self.h, self.d = n_heads, d_model // n_heads // 2
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(torch.randn(self.d) * .1) for _ in range(4))
        self.g = nn.Parameter(torch.ones(2 * self.d))
        self.register_buffer("init", 0.8 - 0.6 * torch.exp(torch.tensor(-0.3 * layer_idx)), persistent=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q = q.reshape(b, t, self.h, 2, self.d)
        k = k.reshape(b, t, self.h, 2, self.d)
        v = v.reshape(b, t, self.h, 2 * self.d)
        s = einsum("bthcd,bshcd->bhcts", q, k) / self.d ** .5
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        a = s.masked_fill(future, -torch.inf).softmax(-1)
        lam = einsum("d,d->", self.lq1, self.lk1).exp() - einsum("d,d->", self.lq2, self.lk2).exp() + self.init
        a = a[:, :, 0] - lam * a[:, :, 1]
        o = einsum("bhts,bshd->bthd", a, v)
        o = o / (o.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.g
        return self.proj(((1 - self.init) * o).flatten(2))
