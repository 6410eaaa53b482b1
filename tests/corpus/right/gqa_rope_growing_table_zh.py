# right: gqa-rope
import math

import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    """分组查询注意力（GQA）+ 旋转位置编码（RoPE）+ KV 缓存"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        assert num_heads % num_kv_heads == 0, "查询头数必须能被 KV 头数整除"
        self.头数 = num_heads
        self.kv头数 = num_kv_heads
        self.组大小 = num_heads // num_kv_heads
        self.头维度 = hidden_dim // num_heads

        # 第一步：线性映射层
        self.wq = nn.Linear(hidden_dim, self.头数 * self.头维度)
        self.wk = nn.Linear(hidden_dim, self.kv头数 * self.头维度)
        self.wv = nn.Linear(hidden_dim, self.kv头数 * self.头维度)
        self.wo = nn.Linear(self.头数 * self.头维度, hidden_dim)

        # 频率：theta_i = base^(-2i/d)，用 python 浮点数保存，避免被 .half() 转换
        self.频率 = [float(base) ** (-2 * i / self.头维度) for i in range(self.头维度 // 2)]
        self._余弦表 = None
        self._正弦表 = None

    def _取表(self, 起点, 终点, 设备):
        """表不够长时自动扩容（每次翻倍）。表只与位置有关，与输入无关"""
        if self._余弦表 is None or self._余弦表.shape[0] < 终点 or self._余弦表.device != 设备:
            长度 = max(16, 2 * 终点)
            位置 = torch.arange(长度, dtype=torch.float64, device=设备)
            角度 = torch.outer(位置, torch.tensor(self.频率, dtype=torch.float64, device=设备))
            角度 = torch.cat([角度, 角度], dim=-1)  # [长度, 头维度]
            self._余弦表 = 角度.cos()
            self._正弦表 = 角度.sin()
        return self._余弦表[起点:终点], self._正弦表[起点:终点]

    def 旋转(self, x, 余弦, 正弦):
        # x: [批次, 头数, 长度, 头维度]
        一半 = x.shape[-1] // 2
        前, 后 = x[..., :一半], x[..., 一半:]
        转 = torch.cat([-后, 前], dim=-1)
        return x * 余弦.to(x.dtype) + 转 * 正弦.to(x.dtype)

    def forward(self, x, cache=None):
        批次, 长度, _ = x.shape

        # 第二步：得到 q, k, v 并拆分成多头
        q = self.wq(x).view(批次, 长度, self.头数, self.头维度).transpose(1, 2)
        k = self.wk(x).view(批次, 长度, self.kv头数, self.头维度).transpose(1, 2)
        v = self.wv(x).view(批次, 长度, self.kv头数, self.头维度).transpose(1, 2)

        # 第三步：旋转位置编码，注意偏移量来自缓存
        偏移 = cache["长度"] if cache is not None else 0
        余弦, 正弦 = self._取表(偏移, 偏移 + 长度, x.device)
        q = self.旋转(q, 余弦, 正弦)
        k = self.旋转(k, 余弦, 正弦)

        # 第四步：拼接缓存（先缓存，后复制）
        if cache is not None:
            k = torch.cat([cache["键"], k], dim=2)
            v = torch.cat([cache["值"], v], dim=2)
        新缓存 = {"键": k, "值": v, "长度": 偏移 + 长度}

        # 第五步：复制 kv 头
        k = k.repeat_interleave(self.组大小, dim=1)
        v = v.repeat_interleave(self.组大小, dim=1)

        # 第六步：计算注意力分数，加因果掩码
        分数 = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.头维度)
        总长 = 偏移 + 长度
        掩码 = torch.triu(torch.full((长度, 总长), float("-inf"), dtype=x.dtype, device=x.device), diagonal=偏移 + 1)
        权重 = torch.softmax(分数 + 掩码, dim=-1)

        # 第七步：加权求和，合并多头，输出映射
        输出 = torch.matmul(权重, v)
        输出 = 输出.transpose(1, 2).reshape(批次, 长度, self.头数 * self.头维度)
        return self.wo(输出), 新缓存
