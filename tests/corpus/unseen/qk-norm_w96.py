import torch
from torch import nn


def rms(u, gain, eps=1e-6):
    return u / torch.sqrt(u.pow(2).mean(dim=-1, keepdim=True) + eps) * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n, self.d = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.query_gain = nn.Parameter(torch.ones(self.d))
        self.key_gain = nn.Parameter(torch.ones(self.d))

    def normed(self, q, k):
        return [rms(t, self.query_gain) for t in (q, k)]

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (w(x).view(B, T, self.n, self.d) for w in (self.wq, self.wk, self.wv))
        q, k = self.normed(q, k)
        s = torch.einsum("bihd,bjhd->bhij", q, k) * self.d**-0.5
        i = torch.arange(T, device=x.device)
        s = torch.where(i[None, :] > i[:, None], torch.finfo(s.dtype).min, s)
        y = torch.einsum("bhij,bjhd->bihd", s.softmax(dim=-1), v)
        return self.wo(y.reshape(B, T, C))
