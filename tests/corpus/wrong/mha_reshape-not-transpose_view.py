# wrong: mha reshape-not-transpose line 38
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class MHAConfig:
    d_model: int
    n_head: int
    p_drop: float = 0.1
    bias: bool = False

    def __post_init__(self):
        assert self.d_model % self.n_head == 0

    @property
    def d_head(self):
        return self.d_model // self.n_head


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        cfg = MHAConfig(hidden_dim, num_heads, dropout)
        self.n_head, self.d_head = cfg.n_head, cfg.d_head
        self.wq = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.wk = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.wv = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.wo = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.drop = nn.Dropout(cfg.p_drop)

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        # (b, t, c) -> (b, h, t, d)；key 直接变成 (b, h, d, t) 方便做乘法
        q = self.wq(x).view(b, t, self.n_head, self.d_head).transpose(1, 2)
        kt = self.wk(x).view(b, self.n_head, self.d_head, t)
        v = self.wv(x).view(b, t, self.n_head, self.d_head).transpose(1, 2)

        att = torch.matmul(q, kt) * self.d_head**-0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        att = self.drop(torch.softmax(att, -1))
        y = torch.matmul(att, v).transpose(1, 2).contiguous().view(b, t, c)
        return self.wo(y)
