import torch
import torch.nn.functional as F
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.weight = nn.Parameter(torch.empty(3 * hidden_dim, hidden_dim))
        nn.init.xavier_uniform_(self.weight)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gains = nn.Parameter(torch.ones(2, self.d))

    def forward(self, x):
        B, T, C = x.shape
        qkv = F.linear(x, self.weight).view(B, T, 3, self.h, self.d)
        qk, v = qkv.narrow(2, 0, 2), qkv.select(2, 2)
        # both norms at once; the gains differ along the axis of 2
        qk = F.rms_norm(qk, (self.d,), eps=1e-6) * self.gains.view(2, 1, self.d)
        q, k = qk.permute(2, 0, 3, 1, 4).reshape(2, B * self.h, T, self.d).unbind(0)
        v = v.transpose(1, 2).reshape(B * self.h, T, self.d)
        bias = torch.full((T, T), float("-inf"), dtype=x.dtype, device=x.device).triu_(1)
        s = torch.baddbmm(bias.expand(B * self.h, T, T), q, k.mT, alpha=self.d ** -0.5)
        y = torch.bmm(s.softmax(-1), v)
        return self.out(y.view(B, self.h, T, self.d).transpose(1, 2).reshape(B, T, C))
