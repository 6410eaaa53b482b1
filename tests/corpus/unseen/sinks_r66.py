import torch
from torch import nn


class SinkAttention(nn.Module):
    """Plain softmax, gated afterwards: w/(Z + e^s) = w/Z * sigmoid(log Z - s)."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.W = nn.Parameter(torch.randn(hidden_dim, 3 * hidden_dim) * hidden_dim ** -0.5)
        self.b = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.sink = nn.Parameter(torch.zeros(num_heads, 1))
        self.O = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim ** -0.5)

    def forward(self, x):
        B, L, C = x.shape
        H, D = self.h, self.d
        y = torch.addmm(self.b, x.reshape(-1, C), self.W)
        q, k, v = y.view(B, L, 3, H, D).permute(2, 0, 3, 1, 4).reshape(3, B * H, L, D).unbind(0)
        band = x.new_full((L, L), float("-inf")).triu_(1)
        s = torch.baddbmm(band, q, k.transpose(1, 2), alpha=D ** -0.5)
        z = s.logsumexp(-1, keepdim=True)
        gate = torch.sigmoid(z.view(B, H, L) - self.sink)
        o = torch.bmm((s - z).exp_(), v).view(B, H, L, D)
        o = o * gate.unsqueeze(-1)
        return torch.mm(o.transpose(1, 2).reshape(-1, C), self.O).view(B, L, C)
