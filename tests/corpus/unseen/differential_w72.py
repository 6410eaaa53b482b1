import torch, math
from torch import nn

class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // (2 * num_heads)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        p = lambda: nn.Parameter(torch.randn(self.d) * 0.1)
        self.lq1, self.lk1, self.lq2, self.lk2 = p(), p(), p(), p()
        self.g = nn.Parameter(torch.ones(2 * self.d))
        self.l0 = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def forward(self, x):
        B, T, C = x.shape
        q = self.wq(x).view(B, T, self.h, 2, self.d)
        k = self.wk(x).view(B, T, self.h, 2, self.d)
        v = self.wv(x).view(B, T, self.h, 2 * self.d).transpose(1, 2)
        m = torch.ones(T, T, device=x.device, dtype=torch.bool).tril()

        def att(i):
            a = q[..., i, :].transpose(1, 2) @ k[..., i, :].permute(0, 2, 3, 1)
            return (a / math.sqrt(self.d)).masked_fill(~m, -math.inf).softmax(-1)

        l = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.l0
        y = (att(0) - l * att(1)) @ v
        y = y * (y.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * self.g
        y = y * (1 - l)
        return self.wo(y.transpose(1, 2).reshape(B, T, C))
