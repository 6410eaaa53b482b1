# right: block
import math
import torch
import torch.nn as nn


class 层归一化(nn.Module):
    """手写 LayerNorm：只在最后一维上做"""

    def __init__(self, 维度, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(维度))   # 缩放
        self.beta = nn.Parameter(torch.zeros(维度))   # 平移
        self.eps = eps

    def forward(self, x):
        均值 = x.mean(dim=-1, keepdim=True)
        # 注意：这里用有偏方差（除以 n，而不是 n-1）
        方差 = x.var(dim=-1, unbiased=False, keepdim=True)
        out = (x - 均值) / torch.sqrt(方差 + self.eps)
        return self.gamma * out + self.beta


class MultiheadAttention(nn.Module):
    """多头因果自注意力（自己实现，不调用 nn 里的）"""

    def __init__(self, d_model, n_head):
        super().__init__()
        assert d_model % n_head == 0, "d_model 必须能被 n_head 整除"
        self.n_head = n_head
        self.d_k = d_model // n_head
        # 四个线性层
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        批次, 长度, _ = x.size()

        # 第一步：线性变换 + 拆成多头 [批次, 头数, 长度, d_k]
        def 拆头(t):
            return t.view(批次, 长度, self.n_head, self.d_k).transpose(1, 2)

        Q, K, V = 拆头(self.w_q(x)), 拆头(self.w_k(x)), 拆头(self.w_v(x))

        # 第二步：计算注意力分数，除以 sqrt(d_k) 防止 softmax 饱和
        分数 = torch.matmul(Q, K.transpose(-1, -2)) / math.sqrt(self.d_k)

        # 第三步：因果掩码，上三角（不含对角线）为 True 的位置不能看
        掩码 = torch.triu(torch.ones(长度, 长度, device=x.device), diagonal=1).bool()
        分数 = 分数.masked_fill(掩码, float("-inf"))

        # 第四步：softmax + 加权求和
        权重 = self.dropout(torch.softmax(分数, dim=-1))
        输出 = torch.matmul(权重, V)

        # 第五步：拼接多头，再过输出投影
        输出 = 输出.transpose(1, 2).contiguous().view(批次, 长度, -1)
        return self.w_o(输出)


class 前馈网络(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.升维 = nn.Linear(d_model, d_ff)
        self.激活 = nn.GELU()
        self.降维 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.降维(self.激活(self.升维(x)))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.归一化1 = 层归一化(hidden_dim)
        self.注意力 = MultiheadAttention(hidden_dim, num_heads)
        self.归一化2 = 层归一化(hidden_dim)
        self.前馈 = 前馈网络(hidden_dim, hidden_dim * 4)

    def forward(self, x):
        # Pre-Norm：先归一化，再进子层，最后残差相加
        残差 = x
        x = self.注意力(self.归一化1(x)) + 残差
        残差 = x
        x = self.前馈(self.归一化2(x)) + 残差
        return x
