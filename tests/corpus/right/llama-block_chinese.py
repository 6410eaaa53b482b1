# right: llama-block
import math

import torch
from torch import nn


class 归一化(nn.Module):
    def __init__(self, 宽度):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(宽度))

    def forward(self, 输入):
        均方根 = torch.sqrt(torch.mean(输入 ** 2, dim=-1, keepdim=True) + 1e-5)
        return self.weight * (输入 / 均方根)


def 旋转(向量, cos, sin):
    前, 后 = 向量.chunk(2, dim=-1)
    return torch.cat((前 * cos - 后 * sin, 后 * cos + 前 * sin), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.头数, self.组数 = num_heads, num_kv_heads
        self.头宽 = hidden_dim // num_heads
        self.norm1 = 归一化(hidden_dim)
        self.norm2 = 归一化(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.头宽)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.头宽)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.头宽)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.gate = nn.Linear(hidden_dim, mlp_dim)
        self.up = nn.Linear(hidden_dim, mlp_dim)
        self.down = nn.Linear(mlp_dim, hidden_dim)

    def 注意力(self, x, cos, sin):
        批, 长, 宽 = x.shape
        q = self.q_proj(x).reshape(批, 长, self.头数, self.头宽).permute(0, 2, 1, 3)
        k = self.k_proj(x).reshape(批, 长, self.组数, self.头宽).permute(0, 2, 1, 3)
        v = self.v_proj(x).reshape(批, 长, self.组数, self.头宽).permute(0, 2, 1, 3)
        q, k = 旋转(q, cos, sin), 旋转(k, cos, sin)
        每组 = self.头数 // self.组数
        k = k.repeat_interleave(每组, dim=1)
        v = v.repeat_interleave(每组, dim=1)
        分数 = q @ k.transpose(-1, -2) / math.sqrt(self.头宽)
        未来 = torch.triu(torch.ones(长, 长, device=x.device), diagonal=1).bool()
        权重 = 分数.masked_fill(未来, float("-inf")).softmax(dim=-1)
        return self.o_proj((权重 @ v).permute(0, 2, 1, 3).reshape(批, 长, 宽))

    def forward(self, x, cos, sin):
        x = x + self.注意力(self.norm1(x), cos, sin)
        归一 = self.norm2(x)
        门 = self.gate(归一)
        return x + self.down(门 * 门.sigmoid() * self.up(归一))
