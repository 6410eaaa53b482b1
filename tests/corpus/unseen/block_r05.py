"""Pre-norm block.  Everything raw: weights are nn.Parameter, maths is functional."""
import torch
import torch.nn.functional as F
from torch import nn


def _weight(rows, cols):
    return nn.Parameter(torch.nn.init.normal_(torch.empty(rows, cols), std=0.02))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        d = self.d = hidden_dim
        self.nh = num_heads
        self.g1, self.b1 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))
        self.g2, self.b2 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))
        self.w_in, self.w_out = _weight(3 * d, d), _weight(d, d)
        self.w_up, self.c_up = _weight(4 * d, d), nn.Parameter(torch.zeros(4 * d))
        self.w_down, self.c_down = _weight(d, 4 * d), nn.Parameter(torch.zeros(d))

    def attend(self, h):
        *lead, t, d = h.shape
        heads = F.linear(h, self.w_in).view(*lead, t, 3 * self.nh, d // self.nh).transpose(-2, -3)
        q, k, v = heads.tensor_split(3, dim=-3)
        logits = q @ k.mT * (d // self.nh) ** -0.5
        wall = torch.full((t, t), -torch.inf, dtype=logits.dtype, device=h.device).triu(1)
        mixed = (logits + wall).softmax(-1) @ v
        return F.linear(mixed.transpose(-2, -3).flatten(-2), self.w_out)

    def mlp(self, h):
        u = F.linear(h, self.w_up, self.c_up)
        return F.linear(F.gelu(u), self.w_down, self.c_down)

    def forward(self, x):
        x = x + self.attend(F.layer_norm(x, (self.d,), self.g1, self.b1))
        return x + self.mlp(F.layer_norm(x, (self.d,), self.g2, self.b2))
