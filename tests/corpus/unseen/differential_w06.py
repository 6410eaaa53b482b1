import numpy as np
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    """差分注意力:两张 softmax 图相减,抵消公共噪声"""

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // (2 * num_heads)
        # λ_init = 0.8 - 0.6 exp(-0.3 (l - 1)),见论文 2.1 节
        self.lambda_init = float(0.8 - 0.6 * np.exp(-0.3 * (depth - 1)))
        self.proj_q = nn.Linear(hidden_dim, hidden_dim)
        self.proj_k = nn.Linear(hidden_dim, hidden_dim)
        self.proj_v = nn.Linear(hidden_dim, hidden_dim)
        self.proj_o = nn.Linear(hidden_dim, hidden_dim)
        for name in ('lq1', 'lk1', 'lq2', 'lk2'):
            setattr(self, name, nn.Parameter(torch.randn(self.head_dim) * 0.1))
        self.g = nn.Parameter(torch.ones(2 * self.head_dim))

    def forward(self, x):
        L = x.shape[1]
        d = self.head_dim
        q, k, v = self.proj_q(x), self.proj_k(x), self.proj_v(x)
        mask = torch.ones(L, L, dtype=torch.bool, device=x.device).tril()
        lam = torch.exp((self.lq1 * self.lk1).sum()) - torch.exp((self.lq2 * self.lk2).sum()) + self.lambda_init

        def attn_map(part):
            sl = slice(part * d, (part + 1) * d)
            s = q[..., sl] @ k[..., sl].transpose(1, 2) / d ** 0.5
            return s.masked_fill(~mask, float('-inf')).softmax(dim=-1)

        heads = []
        for h in range(self.num_heads):
            w = attn_map(2 * h) - lam * attn_map(2 * h + 1)
            y = w @ v[..., 2 * d * h: 2 * d * (h + 1)]
            # 每个头单独做 RMSNorm
            y = y * torch.rsqrt(y.pow(2).mean(dim=-1, keepdim=True) + 1e-5) * self.g
            heads.append(y * (1 - self.lambda_init))
        return self.proj_o(torch.cat(heads, dim=-1))
