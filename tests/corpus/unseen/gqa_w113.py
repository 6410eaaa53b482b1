import torch
from torch import nn


def share(t, times):
    """(b, kv, n, d) -> (b, kv * times, n, d)"""
    return torch.cat([t] * times, dim=1)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.depth = hidden_dim // num_heads
        self.group = num_heads // num_kv_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.depth)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.depth)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.depth)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def split_heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], -1, self.depth).permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        q = self.split_heads(self.wq(x))
        k = share(self.split_heads(self.wk(x)), self.group)
        v = share(self.split_heads(self.wv(x)), self.group)
        matmul_qk = torch.matmul(q, k.transpose(-1, -2))
        scaled_attention_logits = matmul_qk / self.depth ** 0.5
        if attention_mask is not None:
            scaled_attention_logits = scaled_attention_logits.masked_fill(
                attention_mask == 0, torch.finfo(x.dtype).min
            )
        attention_weights = torch.softmax(scaled_attention_logits, dim=-1)
        output = torch.matmul(attention_weights, v)
        concat_attention = output.permute(0, 2, 1, 3).reshape(x.shape)
        return self.wo(concat_attention)
