import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """Heads as (kv, group): nothing is repeated, keys broadcast over the group axis."""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.kv = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)
        self.wk = nn.Parameter(torch.randn(hidden_dim, num_kv_heads * self.d) * hidden_dim**-0.5)
        self.wv = nn.Parameter(torch.randn(hidden_dim, num_kv_heads * self.d) * hidden_dim**-0.5)
        self.wo = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * hidden_dim**-0.5)

    def grouped_mask(self, mask):
        if mask.shape[1] == 1:
            return mask[:, :, None]
        return mask.unflatten(1, (self.group, self.kv)).transpose(1, 2)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        q = (x @ self.wq).view(b, t, self.kv, self.group, self.d)
        k = (x @ self.wk).view(b, t, self.kv, self.d)
        v = (x @ self.wv).view(b, t, self.kv, self.d)
        s = torch.einsum("bikgd,bjkd->bkgij", q, k) / self.d**0.5
        if attention_mask is not None:
            s = s.masked_fill(self.grouped_mask(attention_mask) == 0, torch.finfo(s.dtype).min)
        o = torch.einsum("bkgij,bjkd->bikgd", s.softmax(-1), v)
        return o.reshape(b, t, -1) @ self.wo
