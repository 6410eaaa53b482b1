# wrong: mqa kv-full-width line 17
# fair: kv-full-width 24
import torch
import torch.nn as nn
import torch.nn.functional as F


class MQA(nn.Module):
    """多查询注意力"""

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.h, self.dk = n_heads, d_model // n_heads
        self.scale = self.dk ** -0.5
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, self.dk, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        B, T, C = x.shape
        q = self.W_q(x).reshape(B, T, self.h, self.dk)
        k = self.W_k(x)
        v = self.W_v(x).view(B, T, self.h, self.dk)
        att = torch.einsum("bihd,bjd->bhij", q, k) * self.scale
        if mask is not None:
            att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        # 合并各 head
        y = torch.einsum("bhij,bjhd->bihd", att, v)
        return self.W_o(y.reshape(B, T, C))
