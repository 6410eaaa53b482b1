from torch import nn
import torch


class GroupedQueryAttention(nn.Module):
    """q, k and v in one layer of width (H + 2 KV) d."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        self.H, self.KV = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.scale = (hidden_dim / num_kv_heads) ** -0.5
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.d, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, c = x.size()
        qkv = self.qkv(x).view(b, t, -1, self.d).transpose(1, 2)
        q, k, v = qkv.split((self.H, self.KV, self.KV), dim=1)
        k, v = (z.repeat_interleave(self.H // self.KV, dim=1) for z in (k, v))
        logits = torch.matmul(q * self.scale, k.mT)
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask.logical_not(), float("-inf"))
        return self.out(logits.softmax(-1).matmul(v).transpose(1, 2).reshape(b, t, c))
