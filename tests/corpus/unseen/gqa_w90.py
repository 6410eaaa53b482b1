# attn-kata: gqa
import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.rep = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        kv = num_kv_heads * self.head_dim
        self.w_q = nn.Linear(hidden_dim, hidden_dim)
        self.w_k = nn.Linear(hidden_dim, kv)
        self.w_v = nn.Linear(hidden_dim, kv)
        self.w_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        bs, seqlen, _ = x.shape
        xq = self.w_q(x).view(bs, seqlen, self.num_heads, self.head_dim)
        xk = self.w_k(x).view(bs, seqlen, self.num_kv_heads, self.head_dim)
        xv = self.w_v(x).view(bs, seqlen, self.num_kv_heads, self.head_dim)
        keys = torch.repeat_interleave(xk, self.rep, dim=2)
        values = xv.repeat(1, 1, self.rep, 1)
        xq, keys, values = (t.transpose(1, 2) for t in (xq, keys, values))
        scores = torch.matmul(xq, keys.transpose(2, 3)) / self.head_dim ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        output = torch.matmul(torch.softmax(scores, dim=-1), values)
        return self.w_o(output.transpose(1, 2).contiguous().view(bs, seqlen, -1))
