import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))
        self.inner = inner

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return x + self.inner((x - mean) * torch.rsqrt(var + 1e-5) * self.gain + self.shift)


class Mixer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.w_in = nn.Parameter(torch.randn(width, 3, width) / width**0.5)
        self.w_out = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, u):
        q, k, v = torch.einsum("btc,cpd->pbtd", u, self.w_in).unflatten(-1, (self.heads, -1))
        s = torch.einsum("bthd,bshd->bhts", q, k) * q.shape[-1] ** -0.5
        t = torch.arange(u.shape[1], device=u.device)
        s = s.masked_fill(t > t.unsqueeze(1), torch.finfo(s.dtype).min)
        return torch.einsum("bhts,bshd->bthd", s.softmax(-1), v).flatten(2) @ self.w_out


class ErfGELU(nn.Module):
    def forward(self, h):
        return h * 0.5 * (1 + torch.erf(h * 0.5**0.5))


class TransformerBlock(nn.Sequential):
    def __init__(self, hidden_dim, num_heads):
        up, down = nn.Linear(hidden_dim, 4 * hidden_dim), nn.Linear(4 * hidden_dim, hidden_dim)
        super().__init__(
            Residual(hidden_dim, Mixer(hidden_dim, num_heads)),
            Residual(hidden_dim, nn.Sequential(up, ErfGELU(), down)),
        )
