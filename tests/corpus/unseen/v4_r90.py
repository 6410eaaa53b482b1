from functools import partial

import torch
import torch.nn as nn

# 单头自注意力: softmax(QK^T / sqrt(d)) V
Proj = partial(nn.Linear, bias=True)


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.query = Proj(hidden_dim, hidden_dim)
        self.key = Proj(hidden_dim, hidden_dim)
        self.value = Proj(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.d = hidden_dim

    def forward(self, x, attention_mask=None):
        q, k, v = self.query(x), self.key(x), self.value(x)  # 都是 (B, T, D)
        s = torch.einsum("bid,bjd->bij", q, k).div(self.d**0.5)  # (B, T, T)
        if attention_mask is not None:
            # 0 表示不能看; 转成 bool 再填最小值, fp16 也放得下
            s = s.masked_fill(attention_mask.bool().logical_not(), torch.finfo(s.dtype).min)
        p = torch.log_softmax(s, dim=-1).exp()  # 每一行加起来是 1
        return self.drop(p) @ v  # (B, T, D)
