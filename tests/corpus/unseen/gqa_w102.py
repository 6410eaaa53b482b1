import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.hd = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, num_kv_heads * self.hd)
        self.Wv = nn.Linear(hidden_dim, num_kv_heads * self.hd)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        # which kv head each query head reads
        owner = torch.arange(num_heads).remainder(num_kv_heads)
        self.register_buffer("owner", owner, persistent=False)

    def cut(self, t):
        return t.reshape(*t.shape[:2], -1, self.hd).permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        q = self.cut(self.Wq(x))
        k = self.cut(self.Wk(x))[:, self.owner]
        v = self.cut(self.Wv(x))[:, self.owner]
        att = q.matmul(k.mT) * self.hd ** -0.5
        if attention_mask is not None:
            att = att.masked_fill(attention_mask.logical_not(), float("-inf"))
        y = att.softmax(-1).matmul(v)
        return self.Wo(y.permute(0, 2, 1, 3).flatten(2))
