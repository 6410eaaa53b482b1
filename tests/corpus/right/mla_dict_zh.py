# right: mla
"""
多头潜在注意力 (MLA) 手撕实现
缓存里每个位置只放: 潜向量 c_kv (latent_dim) + 共享的旋转键 k_rope (rope_dim)
"""
import math

import torch
import torch.nn as nn


class 旋转位置编码(nn.Module):
    """前后两半配对: (i, i + d/2)"""

    def __init__(self, 维度, 底数=10000):
        super().__init__()
        self.维度 = 维度
        self.底数 = 底数

    def forward(self, 张量, 起点):
        # 张量: [批, 头, 长度, 维度]
        长度 = 张量.size(2)
        位置 = torch.arange(起点, 起点 + 长度, dtype=torch.float32, device=张量.device)
        频率 = 1.0 / torch.pow(self.底数, torch.arange(0, self.维度, 2, dtype=torch.float32, device=张量.device) / self.维度)
        角度 = torch.outer(位置, 频率)                       # [长度, 维度/2]
        余弦 = torch.cos(角度).to(张量.dtype)
        正弦 = torch.sin(角度).to(张量.dtype)
        前半, 后半 = torch.chunk(张量, 2, dim=-1)
        return torch.cat([前半 * 余弦 - 后半 * 正弦, 前半 * 正弦 + 后半 * 余弦], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super(MultiHeadLatentAttention, self).__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim

        # 查询: 内容部分 + 位置部分 (不压缩)
        self.W_UQ = nn.Linear(hidden_dim, num_heads * head_dim)
        self.W_QR = nn.Linear(hidden_dim, num_heads * rope_dim)
        # 键值联合压缩
        self.W_DKV = nn.Linear(hidden_dim, latent_dim)
        self.W_UK = nn.Linear(latent_dim, num_heads * head_dim)
        self.W_UV = nn.Linear(latent_dim, num_heads * head_dim)
        # 所有头共享的旋转键
        self.W_KR = nn.Linear(hidden_dim, rope_dim)
        # 输出
        self.W_O = nn.Linear(num_heads * head_dim, hidden_dim)
        self.rope = 旋转位置编码(rope_dim)

    def 拆头(self, t, d):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, d).permute(0, 2, 1, 3)

    def forward(self, x, cache=None):
        批, 长度, _ = x.shape
        已有长度 = 0
        if cache is not None:
            已有长度 = cache["c_kv"].shape[1]

        # 1. 查询
        q_c = self.拆头(self.W_UQ(x), self.head_dim)
        q_r = self.rope(self.拆头(self.W_QR(x), self.rope_dim), 已有长度)

        # 2. 潜向量与旋转键; 旋转之后才进缓存
        c_kv = self.W_DKV(x)
        k_r = self.rope(self.W_KR(x).unsqueeze(1), 已有长度)      # [批, 1, 长度, rope_dim]
        if cache is not None:
            c_kv = torch.cat([cache["c_kv"], c_kv], dim=1)
            k_r = torch.cat([cache["k_rope"], k_r], dim=2)
        新缓存 = {"c_kv": c_kv, "k_rope": k_r}
        总长度 = c_kv.shape[1]

        # 3. 还原键和值
        k_c = self.拆头(self.W_UK(c_kv), self.head_dim)
        v = self.拆头(self.W_UV(c_kv), self.head_dim)

        # 4. 拼接后算注意力分数
        q = torch.cat([q_c, q_r], dim=-1)
        k = torch.cat([k_c, k_r.repeat(1, self.num_heads, 1, 1)], dim=-1)
        分数 = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim + self.rope_dim)

        # 5. 因果掩码: 第 i 个查询的真实位置是 已有长度 + i
        行 = torch.arange(长度, device=x.device).unsqueeze(1) + 已有长度
        列 = torch.arange(总长度, device=x.device).unsqueeze(0)
        分数 = 分数.masked_fill(列 > 行, float("-inf"))
        权重 = torch.softmax(分数, dim=-1)

        # 6. 合并各头
        输出 = torch.matmul(权重, v).permute(0, 2, 1, 3).reshape(批, 长度, self.num_heads * self.head_dim)
        return self.W_O(输出), 新缓存
