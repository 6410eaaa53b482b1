import math
import torch
import torch.nn as nn


class DifferentialAttention(nn.Module):
    """差分注意力：两张 softmax 图相减"""

    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0
        self.tou_shu = num_heads            # 头数
        self.tou_wei = hidden_dim // num_heads // 2   # 每张图的维度
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.lambda_q1 = nn.Parameter(torch.randn(self.tou_wei) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(self.tou_wei) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(self.tou_wei) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(self.tou_wei) * 0.1)
        self.norm_weight = nn.Parameter(torch.ones(2 * self.tou_wei))
        # depth 从 0 开始
        self.lambda_chushi = 0.8 - 0.6 * math.exp(-0.3 * depth)

    def suan_lambda(self):
        yi = torch.exp((self.lambda_q1 * self.lambda_k1).sum())
        er = torch.exp((self.lambda_q2 * self.lambda_k2).sum())
        return yi - er + self.lambda_chushi

    def forward(self, x):
        B, T, E = x.shape
        H, d = self.tou_shu, self.tou_wei
        q = self.W_q(x).view(B, T, H, 2, d).permute(0, 2, 3, 1, 4)
        k, v = self.W_kv(x).split(E, dim=-1)
        k = k.view(B, T, H, 2, d).permute(0, 2, 3, 1, 4)
        v = v.view(B, T, H, 2 * d).permute(0, 2, 1, 3)
        fen_shu = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d)
        zhe_zhao = torch.tril(torch.ones(T, T, device=x.device)).bool()
        fen_shu = fen_shu.masked_fill(~zhe_zhao, float('-inf'))
        tu1, tu2 = torch.softmax(fen_shu, dim=-1).unbind(dim=2)
        shu_chu = torch.matmul(tu1 - self.suan_lambda() * tu2, v)
        fang_cha = shu_chu.pow(2).mean(dim=-1, keepdim=True)
        shu_chu = shu_chu * torch.rsqrt(fang_cha + 1e-5) * self.norm_weight
        shu_chu = shu_chu * (1 - self.lambda_chushi)
        return self.W_o(shu_chu.permute(0, 2, 1, 3).contiguous().view(B, T, E))
