# wrong: qk-norm qk-norm-shared line 23
import torch
from torch import nn


def rms(u, eps=1e-6):
    return u * torch.rsqrt(u.square().mean(dim=-1, keepdim=True) + eps)


class QKNormAttention(nn.Module):
    """带 QK-norm 的因果自注意力"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.heads = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        # 每个 head 共用，初始为 1
        self.query_gain = self.key_gain = nn.Parameter(torch.ones(self.d))

    def forward(self, x):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.heads, self.d)
        k = self.wk(x).view(b, n, self.heads, self.d)
        v = self.wv(x).view(b, n, self.heads, self.d)
        q = rms(q) * self.query_gain
        k = rms(k) * self.key_gain

        scores = torch.einsum("bihd,bjhd->bhij", q, k) / self.d ** 0.5
        i = torch.arange(n, device=x.device)
        scores = scores.masked_fill(i[None, :] > i[:, None], float("-inf"))
        out = torch.einsum("bhij,bjhd->bihd", scores.softmax(dim=-1), v)
        return self.wo(out.reshape(b, n, -1))
