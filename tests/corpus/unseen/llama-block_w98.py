import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x / torch.sqrt(torch.mean(x * x, dim=-1, keepdim=True) + self.eps) * self.scale


class LlamaBlock(nn.Module):
    """注意力 + SwiGLU, 前置归一化"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.h, self.kv_h, self.d = num_heads, num_kv_heads, hidden_dim // num_heads
        self.norm_attention = RMSNorm(hidden_dim)
        self.norm_mlp = RMSNorm(hidden_dim)
        self.q = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.o = nn.Linear(num_heads * self.d, hidden_dim, bias=False)
        self.gate_up = nn.Linear(hidden_dim, 2 * mlp_dim, bias=False)  # 前一半是 gate
        self.down = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def rotate(self, t, cos, sin):
        # t: (b, h, s, d), 前后两半配对
        half = self.d // 2
        out = torch.empty_like(t)
        out[..., :half] = t[..., :half] * cos - t[..., half:] * sin
        out[..., half:] = t[..., half:] * cos + t[..., :half] * sin
        return out

    def forward(self, x, cos, sin):
        b, s, _ = x.shape
        y = self.norm_attention(x)
        q = self.rotate(self.q(y).view(b, s, self.h, self.d).transpose(1, 2), cos, sin)
        k = self.rotate(self.k(y).view(b, s, self.kv_h, self.d).transpose(1, 2), cos, sin)
        v = self.v(y).view(b, s, self.kv_h, self.d).transpose(1, 2)
        # 每个查询头找到自己的 kv 头
        index = torch.arange(self.h, device=x.device) // (self.h // self.kv_h)
        k, v = k.index_select(1, index), v.index_select(1, index)
        score = torch.matmul(q, k.transpose(2, 3)) / self.d ** 0.5
        causal = torch.tril(torch.ones(s, s, dtype=torch.bool, device=x.device))
        prob = score.masked_fill(~causal, float('-inf')).softmax(dim=-1)
        x = x + self.o(torch.matmul(prob, v).transpose(1, 2).reshape(b, s, -1))
        gate, up = self.gate_up(self.norm_mlp(x)).chunk(2, dim=-1)
        return x + self.down(gate * torch.sigmoid(gate) * up)
