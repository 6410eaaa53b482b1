import torch
import torch.nn.functional as F
from torch import nn


class Conv1D(nn.Module):
    """GPT-2's: a linear layer with its weight the other way round."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf).normal_(std=0.02))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(size_out)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        # [norm 1 or 2][gain or bias]
        self.ln = nn.Parameter(torch.stack([torch.ones(2, hidden_dim), torch.zeros(2, hidden_dim)], dim=1))
        self.c_attn = Conv1D(3 * hidden_dim, hidden_dim)
        self.c_fc = Conv1D(4 * hidden_dim, hidden_dim)
        self.c_proj = nn.ModuleList([Conv1D(hidden_dim, hidden_dim), Conv1D(hidden_dim, 4 * hidden_dim)])

    def norm(self, x, which):
        g, b = self.ln[which]
        return F.layer_norm(x, x.shape[-1:], g, b, 1e-5)

    def attn(self, x):
        B, T, C = x.shape
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (z.view(B, T, self.n_head, -1).transpose(1, 2) for z in (q, k, v))
        w = q @ k.transpose(-1, -2) * (C // self.n_head) ** -0.5
        w = w + torch.triu(torch.full((T, T), float("-inf"), device=x.device, dtype=w.dtype), diagonal=1)
        a = F.softmax(w, dim=-1) @ v
        return self.c_proj[0](a.transpose(1, 2).contiguous().view(B, T, C))

    def forward(self, x):
        x = x + self.attn(self.norm(x, 0))
        return x + self.c_proj[1](F.gelu(self.c_fc(self.norm(x, 1))))
