import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (num_heads * 2)
        self.to_qk = nn.Linear(hidden_dim, hidden_dim * 2, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        make = lambda: nn.Parameter(torch.randn(self.d).mul_(0.1))
        self.lq = nn.ParameterList([make(), make()])
        self.lk = nn.ParameterList([make(), make()])
        self.g = nn.Parameter(torch.ones(self.d * 2))
        self.l0 = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def forward(self, x: Tensor) -> Tensor:
        n, L = x.shape[:2]
        qq, kk = self.to_qk(x).chunk(2, dim=-1)
        # both as (map, batch, head, length, d)
        qq = qq.unflatten(-1, (self.H, 2, self.d)).permute(3, 0, 2, 1, 4)
        kk = kk.unflatten(-1, (2, self.H, self.d)).permute(2, 0, 3, 1, 4)
        vv = self.to_v(x).unflatten(-1, (self.H, 2 * self.d)).transpose(1, 2)

        logits = torch.matmul(qq, kk.transpose(-2, -1)).div(math.sqrt(self.d))
        i = torch.arange(L, device=x.device)
        logits = logits.masked_fill(i[None, :] > i[:, None], float("-inf"))
        pos, neg = logits.softmax(-1).unbind(0)

        e0, e1 = ((a * b).sum().exp() for a, b in zip(self.lq, self.lk))
        out = (pos - (e0 - e1 + self.l0) * neg).matmul(vv)
        rms = out.pow(2).mean(-1, keepdim=True).add(1e-5).sqrt()
        out = out.div(rms).mul(self.g).mul(1 - self.l0)
        return self.to_out(out.transpose(1, 2).flatten(-2))
