import torch
from torch import nn


def rms_(t, g):
    return t * (t.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * g


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh, self.hd = num_heads, hidden_dim // num_heads
        self.w_in = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.w_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gq = nn.Parameter(torch.ones(self.hd))
        self.gk = nn.Parameter(torch.ones(self.hd))
        self._tri = None

    def tri(self, n, device):
        if self._tri is None or self._tri.size(0) < n or self._tri.device != device:
            self._tri = torch.ones(n, n, dtype=torch.bool, device=device).triu_(1)
        return self._tri[:n, :n]

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.w_in(x).view(b, n, 3, self.nh, self.hd).permute(2, 0, 3, 1, 4).unbind()
        q = q * self.hd ** -0.5
        q, k = rms_(q, self.gq), rms_(k, self.gk)
        s = (q @ k.mT).masked_fill_(self.tri(n, x.device), float("-inf"))
        return self.w_out((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
