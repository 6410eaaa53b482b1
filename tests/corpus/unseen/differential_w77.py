import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        H, d = num_heads, hidden_dim // (2 * num_heads)
        self.H, self.d = H, d
        self.Q = nn.Parameter(torch.randn(H, 2, d, hidden_dim) * hidden_dim**-0.5)
        self.K = nn.Parameter(torch.randn(H, 2, d, hidden_dim) * hidden_dim**-0.5)
        self.V = nn.Parameter(torch.randn(H, 2 * d, hidden_dim) * hidden_dim**-0.5)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.lq1 = nn.Parameter(torch.randn(d) * 0.1)
        self.lk1 = nn.Parameter(torch.randn(d) * 0.1)
        self.lq2 = nn.Parameter(torch.randn(d) * 0.1)
        self.lk2 = nn.Parameter(torch.randn(d) * 0.1)
        self.g = nn.Parameter(torch.ones(2 * d))
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def forward(self, x):
        T = x.shape[1]
        q = torch.einsum("btc,hmdc->bhmtd", x, self.Q)
        k = torch.einsum("btc,hmdc->bhmtd", x, self.K)
        v = torch.einsum("btc,hec->bhte", x, self.V)
        s = torch.einsum("bhmid,bhmjd->bhmij", q, k) / math.sqrt(self.d)
        hide = torch.triu(torch.ones(T, T, device=x.device), diagonal=1) == 1
        a = torch.softmax(s.masked_fill(hide, -math.inf), dim=-1)
        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2)
        diff = a[:, :, 0] - lam * a[:, :, 1]
        y = torch.einsum("bhij,bhje->bihe", diff, v)
        y = self.g * y / torch.sqrt((y**2).mean(-1, keepdim=True) + 1e-5)
        y = (1 - self.lambda_init) * y
        return self.out(y.reshape(x.shape))
