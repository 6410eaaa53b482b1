# right: mha
# (b t (d h)): the heads stride through the channels instead of lying in blocks; self-consistent
import torch
import torch.nn as nn


def perm(d_model, n_heads):
    """channel order that turns this layout into the usual one (for loading checkpoints)"""
    return torch.arange(d_model).view(-1, n_heads).t().reshape(-1)


class MHA(nn.Module):
    def __init__(self, d_model=64, n_heads=8, p=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.Q, self.K, self.V, self.O = [nn.Linear(d_model, d_model) for _ in "QKVO"]
        self.p = nn.Dropout(p)

    def forward(self, x, mask=None):
        b, t, c = x.shape
        d = c // self.n_heads
        q = self.Q(x).view(b, t, d, self.n_heads).permute(0, 3, 1, 2)
        k = self.K(x).view(b, t, d, self.n_heads).permute(0, 3, 1, 2)
        v = self.V(x).view(b, t, d, self.n_heads).permute(0, 3, 1, 2)
        w = torch.einsum("bhtd,bhsd->bhts", q, k) * d ** -0.5
        w = w if mask is None else w.masked_fill(mask == 0, -torch.inf)
        w = self.p(w.softmax(-1))
        y = torch.einsum("bhts,bhsd->btdh", w, v).reshape(b, t, c)
        return self.O(y)
