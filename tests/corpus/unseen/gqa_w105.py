import torch
from torch import nn


def repeat_kv(x, n_rep):
    """(b, kv, t, d) -> (b, kv * n_rep, t, d), neighbours share"""
    b, kv, t, d = x.shape
    return x[:, :, None].expand(b, kv, n_rep, t, d).reshape(b, kv * n_rep, t, d)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.n_heads, self.n_kv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.n_rep = num_kv_heads
        self.wq = nn.Linear(hidden_dim, self.n_heads * self.hd, bias=False)
        self.wkv = nn.Linear(hidden_dim, 2 * self.n_kv * self.hd, bias=False)
        self.wo = nn.Linear(self.n_heads * self.hd, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        xq = self.wq(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        xk, xv = self.wkv(x).view(b, t, 2, self.n_kv, self.hd).permute(2, 0, 3, 1, 4)
        keys, values = repeat_kv(xk, self.n_rep), repeat_kv(xv, self.n_rep)
        scores = xq @ keys.transpose(2, 3) * self.hd ** -0.5
        if attention_mask is not None:
            scores = torch.where(attention_mask.bool(), scores, float("-inf"))
        out = scores.softmax(dim=-1) @ values
        return self.wo(out.transpose(1, 2).contiguous().view(b, t, -1))
