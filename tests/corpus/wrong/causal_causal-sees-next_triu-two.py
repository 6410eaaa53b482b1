# wrong: causal causal-sees-next line 19
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    # 因果注意力: 每个位置只能看到自己和之前的位置
    def __init__(self, d_model, n_head, max_len, drop=0.0):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_combine = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(drop)
        # 上三角为 True 的位置需要屏蔽
        future = torch.triu(torch.ones(max_len, max_len), diagonal=2).bool()
        self.register_buffer("future", future, persistent=False)

    def forward(self, x):
        batch, time, dim = x.shape
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        # 切分成多个头
        q = q.view(batch, time, self.n_head, self.d_k).permute(0, 2, 1, 3)
        k = k.view(batch, time, self.n_head, self.d_k).permute(0, 2, 1, 3)
        v = v.view(batch, time, self.n_head, self.d_k).permute(0, 2, 1, 3)
        score = q @ k.transpose(2, 3) / math.sqrt(self.d_k)
        score = score.masked_fill(self.future[:time, :time], float("-inf"))
        score = self.dropout(torch.softmax(score, dim=-1)) @ v
        score = score.permute(0, 2, 1, 3).contiguous().view(batch, time, dim)
        return self.w_combine(score)
