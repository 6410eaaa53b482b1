import math
import torch
from torch import einsum, nn


class DifferentialAttention(nn.Module):
    # n batch, i queries, j keys, m model, h heads, s which of the two maps, e head_dim, f 2*head_dim
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        m, h, e = hidden_dim, num_heads, hidden_dim // (2 * num_heads)
        weight = lambda *shape: nn.Parameter(torch.empty(*shape).normal_(std=m**-0.5))
        self.Wq, self.Wk = weight(m, h, 2, e), weight(m, h, 2, e)
        self.Wv, self.Wo = weight(m, h, 2 * e), weight(h, 2 * e, m)
        self.lq1, self.lk1, self.lq2, self.lk2 = (
            nn.Parameter(0.1 * torch.randn(e)) for _ in range(4)
        )
        self.gain = nn.Parameter(torch.ones(2 * e))
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        self.scale = 1 / math.sqrt(e)

    def forward(self, x):
        Q = einsum("nim,mhse->nhsie", x, self.Wq)
        K = einsum("njm,mhse->nhsje", x, self.Wk)
        V = einsum("njm,mhf->nhjf", x, self.Wv)

        S = einsum("nhsie,nhsje->nhsij", Q, K) * self.scale
        t = torch.arange(x.shape[1], device=x.device)
        A = torch.where(t[:, None] >= t, S, -math.inf).softmax(-1)

        lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.lambda_init
        sign = torch.stack([torch.ones_like(lam), -lam])
        O = einsum("nhsij,s,nhjf->nhif", A, sign, V)

        O = O * torch.rsqrt(O.square().mean(-1, keepdim=True) + 1e-5) * self.gain
        return einsum("nhif,hfm->nim", O * (1 - self.lambda_init), self.Wo)
