import torch, math
from torch import nn, exp, Tensor


class DifferentialAttention(nn.Module):
    """Zwei Softmax-Karten je Kopf, voneinander abgezogen."""

    def __init__(self, hidden_dim: int, num_heads: int, depth: int):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // (2 * num_heads)
        self.Wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.Wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.lq1 = nn.Parameter(torch.empty(self.d).normal_(0, 0.1))
        self.lk1 = nn.Parameter(torch.empty(self.d).normal_(0, 0.1))
        self.lq2 = nn.Parameter(torch.empty(self.d).normal_(0, 0.1))
        self.lk2 = nn.Parameter(torch.empty(self.d).normal_(0, 0.1))
        self.gain = nn.Parameter(torch.ones(2 * self.d))
        self.l0 = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def maps(self, t: Tensor):
        B, T, _ = t.shape
        first, second = t.view(B, T, 2, self.H, self.d).unbind(2)
        return first.transpose(1, 2), second.transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        B, T, E = x.shape
        q, k, v = self.Wqkv(x).split(E, dim=-1)
        (q1, q2), (k1, k2) = self.maps(q), self.maps(k)
        v = v.view(B, T, self.H, 2 * self.d).transpose(1, 2)
        tri = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        A1 = (q1 @ k1.mT / math.sqrt(self.d)).masked_fill(tri, -torch.inf).softmax(-1)
        A2 = (q2 @ k2.mT / math.sqrt(self.d)).masked_fill(tri, -torch.inf).softmax(-1)
        lam = exp(self.lq1 @ self.lk1) - exp(self.lq2 @ self.lk2) + self.l0
        y = (A1 - lam * A2) @ v
        y = y / (y.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.gain * (1 - self.l0)
        return self.Wo(y.transpose(1, 2).reshape(B, T, E))
