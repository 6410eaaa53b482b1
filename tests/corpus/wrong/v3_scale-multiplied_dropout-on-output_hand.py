# wrong: v3 scale-multiplied line 18, dropout-on-output line 24
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, size, dropout_rate=0.1):
        super().__init__()
        self.linear_q = nn.Linear(size, size)
        self.linear_k = nn.Linear(size, size)
        self.linear_v = nn.Linear(size, size)
        self.linear_out = nn.Linear(size, size)
        self.dropout = nn.Dropout(p=dropout_rate)
        self.inv_scale = size ** -0.5

    def forward(self, x, mask=None):
        q, k, v = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.inv_scale
        if mask is not None:
            min_value = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(mask.eq(0), min_value)
        attn = torch.softmax(scores, dim=-1)
        x = torch.matmul(attn, v)
        return self.linear_out(self.dropout(x))
