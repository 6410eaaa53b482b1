# 面试版自注意力：融合投影 + 手写带掩码 softmax + 手写 dropout
import torch
from torch import nn


def masked_softmax(s, keep):
    """数值稳定；整行都被屏蔽时返回全 0，而不是 NaN"""
    low = torch.finfo(s.dtype).min
    s = torch.where(keep, s, torch.full_like(s, low))
    e = torch.exp(s - s.amax(dim=-1, keepdim=True)) * keep.to(s.dtype)
    z = e.sum(dim=-1, keepdim=True)
    return e / torch.where(z > 0, z, torch.ones_like(z))


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.h = hidden_dim
        self.p = float(dropout)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def drop(self, w):
        if not self.training or self.p == 0.0:
            return w
        if self.p >= 1.0:
            return w * 0.0
        # 倒置 dropout：保留概率 1-p，保留下来的除以 1-p
        keep = torch.empty_like(w).bernoulli_(1.0 - self.p)
        return w * keep / (1.0 - self.p)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)              # 各 [B, L, H]
        s = torch.einsum("bqh,bkh->bqk", q, k) * self.h ** -0.5
        if attention_mask is None:
            keep = torch.ones_like(s, dtype=torch.bool)
        else:
            keep = attention_mask != 0
        w = self.drop(masked_softmax(s, keep))
        return self.out(torch.einsum("bqk,bkh->bqh", w, v))
