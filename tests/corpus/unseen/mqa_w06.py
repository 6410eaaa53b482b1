import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    """共享 K/V 的注意力"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        dim = hidden_dim // num_heads
        # 每个 query 头一个线性层,K、V 各只有一个
        self.q_heads = nn.ModuleList(nn.Linear(hidden_dim, dim) for _ in range(num_heads))
        self.k_head = nn.Linear(hidden_dim, dim)
        self.v_head = nn.Linear(hidden_dim, dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        n, length, _ = x.shape
        k, v = self.k_head(x), self.v_head(x)
        outputs = []
        for i, q_head in enumerate(self.q_heads):
            q = q_head(x)
            a = q.matmul(k.transpose(1, 2)) / q.shape[-1] ** 0.5
            if attention_mask is not None:
                m = attention_mask[:, min(i, attention_mask.shape[1] - 1)]
                a = a.masked_fill(m == 0, float('-inf'))
            outputs.append(a.softmax(-1).matmul(v))
        # 拼接各头
        merged = torch.cat(outputs, dim=1).view(n, length, -1)
        return self.o(merged)
