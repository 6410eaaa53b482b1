# attn-kata: v4
import torch
from torch import nn
from torch.nn.functional import dropout as drop_fn, linear


class SelfAttentionV4(nn.Module):
    # C++ habit: members first, then methods
    m_q: nn.Parameter
    m_k: nn.Parameter
    m_v: nn.Parameter

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for member in ("m_q", "m_k", "m_v"):
            w = torch.empty(hidden_dim, hidden_dim)
            nn.init.kaiming_uniform_(w, a=5 ** 0.5)
            self.register_parameter(member, nn.Parameter(w))
        self.m_rate = float(dropout)
        self.m_invSqrt = 1.0 / hidden_dim ** 0.5

    def forward(self, x, attention_mask=None):
        # [B,L,D]
        q = linear(x, self.m_q)
        k = linear(x, self.m_k)
        v = linear(x, self.m_v)
        # [B,L,L]
        s = q.matmul(k.mT).mul(self.m_invSqrt)
        if attention_mask is not None:
            blocked = attention_mask.eq(0)
            s = s.masked_fill(blocked, torch.finfo(s.dtype).min)
        w = s.softmax(-1)
        w = drop_fn(w, p=self.m_rate, training=self.training)
        # [B,L,D]
        return w.matmul(v)
