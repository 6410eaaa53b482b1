# right: block
import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        H, C = num_heads, hidden_dim
        D = C // H
        self.W = nn.Parameter(torch.empty(3, H, D, C).normal_(std=C ** -0.5))
        self.O = nn.Parameter(torch.empty(C, H, D).normal_(std=C ** -0.5))
        self.gains = nn.Parameter(torch.ones(2, C))
        self.U = nn.Parameter(torch.empty(4, C, C).normal_(std=C ** -0.5))
        self.V = nn.Parameter(torch.empty(4, C, C).normal_(std=(4 * C) ** -0.5))

    def forward(self, x):
        C = x.size(-1)
        h = F.layer_norm(x, (C,)) * self.gains[0]

        q, k, v = torch.einsum("btc,khdc->kbhtd", h, self.W).unbind(0)
        s = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        n = s.size(-1)
        future = torch.arange(n, device=x.device)[None] > torch.arange(n, device=x.device)[:, None]
        s = s.masked_fill(future, float("-inf"))
        p = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
        x = x + torch.einsum("bhij,bhjd,chd->bic", p, v, self.O)

        h = F.layer_norm(x, (C,)) * self.gains[1]
        # four square blocks side by side are the C -> 4C -> C layer
        a = F.gelu(torch.einsum("btc,mfc->btmf", h, self.U))
        return x + torch.einsum("btmf,mcf->btc", a, self.V)
