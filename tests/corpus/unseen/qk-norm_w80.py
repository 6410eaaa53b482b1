import torch
import torch.nn as nn
import torch.nn.functional as F


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.hd = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.query_gain = nn.Parameter(torch.ones(self.hd))
        self.key_gain = nn.Parameter(torch.ones(self.hd))
        self._gain = None

    def gain(self):
        # (q * gq) . (k * gk) = (q * gq * gk) . k, so that keys need no multiplication
        if torch.is_grad_enabled():
            return self.query_gain * self.key_gain
        if self._gain is None:
            self._gain = self.query_gain * self.key_gain
        return self._gain

    def rms(self, u):
        return u / torch.sqrt(u.pow(2).mean(-1, keepdim=True) + 1e-6)

    def forward(self, x):
        B, T, C = x.shape
        split = lambda t: t.view(B, T, self.h, self.hd).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        q = self.rms(q) * self.gain()
        k = self.rms(k)
        att = torch.matmul(q, k.transpose(2, 3)) / self.hd ** 0.5
        mask = torch.tril(torch.ones(T, T, device=x.device, dtype=torch.bool))
        att = F.softmax(att.masked_fill(~mask, torch.finfo(att.dtype).min), dim=-1)
        out = torch.matmul(att, v).transpose(1, 2).contiguous().view(B, T, C)
        return self.o_proj(out)
