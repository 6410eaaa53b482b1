# 一个参数字典, 字母为名; 旋转用复数乘法 (cos 与 sin 不必在单位圆上)。
import math

import torch
import torch.nn.functional as F
from torch import nn


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.头, self.键头 = num_heads, num_kv_heads
        宽, 头宽 = hidden_dim, hidden_dim // num_heads
        新 = lambda *形: nn.Parameter(torch.randn(*形) / math.sqrt(宽))  # noqa: E731
        self.权 = nn.ParameterDict({
            "q": 新(宽, num_heads, 头宽), "k": 新(宽, num_kv_heads, 头宽), "v": 新(宽, num_kv_heads, 头宽),
            "o": 新(num_heads, 头宽, 宽), "a": 新(2, 宽, mlp_dim), "d": 新(mlp_dim, 宽),
        })
        self.增益 = nn.Parameter(torch.zeros(2, 宽))            # 存对数

    def 归一(self, x, 第几):
        return x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * self.增益[第几].exp()

    def 旋转(self, x, cos, sin):
        大 = x if x.dtype == torch.float64 else x.float()
        z = torch.complex(*(half.contiguous() for half in 大.chunk(2, -1)))
        z = z * torch.complex(cos.to(大.dtype), sin.to(大.dtype))[:, None]
        return torch.cat((z.real, z.imag), -1).to(x.dtype)

    def 注意(self, u, cos, sin):
        q, k, v = (torch.einsum("btc,chd->bthd", u, self.权[字]) for 字 in "qkv")
        q, k = self.旋转(q, cos, sin), self.旋转(k, cos, sin)
        q = q.unflatten(2, (self.键头, -1))
        s = torch.einsum("btgrd,bsgd->bgrts", q, k) / math.sqrt(q.size(-1))
        长 = u.size(1)
        s = s + torch.zeros(长, 长, dtype=s.dtype, device=s.device).masked_fill(
            torch.ones(长, 长, dtype=torch.bool, device=s.device).triu(1), -math.inf)
        y = torch.einsum("bgrts,bsgd->btgrd", s.softmax(-1), v).flatten(2, 3)
        return torch.einsum("bthd,hdc->btc", y, self.权["o"])

    def 前馈(self, u):
        升, 门 = torch.einsum("btc,zcm->zbtm", u, self.权["a"])
        return F.silu(门) * 升 @ self.权["d"]

    def forward(self, x, cos, sin):
        h = x + self.注意(self.归一(x, 0), cos, sin)
        return h + self.前馈(self.归一(h, 1))
