# right: v3 remarks: fill-overflows-half
# 自注意力第三版：加入 mask、dropout 和输出层
import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.proj = nn.Linear(hidden_dim, hidden_dim * 3)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.att_drop = nn.Dropout(dropout)  # 注意：dropout 作用在注意力权重上

    def forward(self, x, attention_mask=None):
        qkv = self.proj(x)
        q, k, v = torch.split(qkv, self.hidden_dim, dim=-1)
        att = q @ k.transpose(-1, -2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            # 用一个很小的数填充，softmax 之后就是 0
            att = att.masked_fill(attention_mask == 0, float("-1e20"))
        att = torch.softmax(att, dim=-1)
        att = self.att_drop(att)
        return self.output(att @ v)
