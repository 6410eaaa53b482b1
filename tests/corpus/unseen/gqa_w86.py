import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError("sizes do not fit")
        self.n_q, self.n_kv = num_heads, num_kv_heads
        self.dim = hidden_dim // num_heads
        self.proj_in = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.dim)
        self.proj_out = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def _is_full(mask):
        return mask.sum() == mask.numel()

    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        sizes = [self.n_q * self.dim, self.n_kv * self.dim, self.n_kv * self.dim]
        q, k, v = self.proj_in(x).split(sizes, dim=-1)
        q, k, v = (z.view(b, t, -1, self.dim).transpose(1, 2) for z in (q, k, v))
        times = self.n_q // self.n_kv
        k, v = k.repeat_interleave(times, dim=1), v.repeat_interleave(times, dim=1)
        att = q.matmul(k.transpose(-1, -2)).div(self.dim ** 0.5)
        if attention_mask is not None and not self._is_full(attention_mask):
            att = att.masked_fill(attention_mask == 0, torch.finfo(att.dtype).min)
        y = att.softmax(dim=-1).matmul(v)
        return self.proj_out(y.transpose(1, 2).reshape(b, t, c))
