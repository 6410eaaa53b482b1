import torch
import torch.nn as nn


class SinkAttention(nn.Module):
    # 每个头一个可学习的 sink
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Parameter(torch.randn(num_heads, hidden_dim, self.d) * hidden_dim**-0.5)
        self.wk = nn.Parameter(torch.randn(num_heads, hidden_dim, self.d) * hidden_dim**-0.5)
        self.wv = nn.Parameter(torch.randn(num_heads, hidden_dim, self.d) * hidden_dim**-0.5)
        self.wo = nn.Parameter(torch.randn(num_heads, self.d, hidden_dim) * hidden_dim**-0.5)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def one_head(self, x, h):
        q, k, v = x @ self.wq[h], x @ self.wk[h], x @ self.wv[h]
        s = q @ k.transpose(1, 2) * self.d**-0.5
        # 留给 key 的总份额
        keep = torch.sigmoid(torch.logsumexp(s, dim=-1, keepdim=True) - self.sink[h])
        # 因果掩码
        T = x.shape[1]
        tri = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        s = torch.where(tri, s, -torch.inf)
        return torch.softmax(s, dim=-1) * keep @ v @ self.wo[h]

    def forward(self, x):
        return sum(self.one_head(x, h) for h in range(self.n))
