# wrong: v3 mask-ignored line 22
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dim = hidden_dim
        # 三个矩阵合并成一个, 减少 kernel 启动次数
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.att_drop = nn.Dropout(dropout)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        QKV = self.proj(x)
        Q, K, V = torch.split(QKV, self.dim, dim=-1)
        att_weight = Q @ K.transpose(-1, -2) / math.sqrt(self.dim)
        # 屏蔽 padding 的位置
        if attention_mask is not None:
            att_weight.masked_fill(attention_mask == 0, float("-1e20"))
        att_weight = torch.softmax(att_weight, dim=-1)
        att_weight = self.att_drop(att_weight)
        output = att_weight @ V
        # 最后过一个输出映射
        return self.output_proj(output)
