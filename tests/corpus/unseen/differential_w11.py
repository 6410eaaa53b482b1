import torch
from torch import nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0
        width = hidden_dim // (2 * num_heads)
        self.heads, self.width = num_heads, width
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.lambdas = nn.Parameter(torch.randn(4, width) * 0.1)  # lq1, lk1, lq2, lk2
        self.norm_weight = nn.Parameter(torch.ones(2 * width))
        self.register_buffer("lambda_init", 0.8 - 0.6 * torch.exp(torch.tensor(-0.3 * depth)), persistent=False)

    def get_lambda(self):
        lq1, lk1, lq2, lk2 = self.lambdas
        return torch.exp(lq1 @ lk1) - torch.exp(lq2 @ lk2) + self.lambda_init

    def maps(self, x):
        n = x.shape[1]
        q = self.to_q(x).unflatten(-1, (self.heads, 2, self.width))
        k = self.to_k(x).unflatten(-1, (self.heads, 2, self.width))
        keep = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        for which in range(2):
            s = torch.einsum("bthc,bshc->bhts", q[..., which, :], k[..., which, :]) * self.width ** -0.5
            yield torch.where(keep, s, float("-inf")).softmax(dim=-1)

    def forward(self, x):
        lam = self.get_lambda()
        signal, noise = self.maps(x)
        v = self.to_v(x).unflatten(-1, (self.heads, 2 * self.width))
        y = torch.einsum("bhts,bshe->bthe", signal - lam * noise, v)
        y = y / torch.sqrt(torch.mean(y * y, dim=-1, keepdim=True) + 1e-5)
        y = y * self.norm_weight * (1 - lam)
        return self.to_out(y.flatten(-2))
