# attn-kata: gqa
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """5-d einsum, no repeat: g = kv group, r = query head inside of its group"""

    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        d = hidden_dim // num_heads
        r = num_heads // num_kv_heads
        s = hidden_dim ** -0.5
        self.Wq = nn.Parameter(torch.randn(hidden_dim, num_kv_heads, r, d) * s)
        self.Wk = nn.Parameter(torch.randn(hidden_dim, num_kv_heads, d) * s)
        self.Wv = nn.Parameter(torch.randn(hidden_dim, num_kv_heads, d) * s)
        self.Wo = nn.Parameter(torch.randn(num_kv_heads, r, d, hidden_dim) * s)
        self.scale = d ** -0.5

    def forward(self, x, attention_mask=None):
        q = torch.einsum("btm,mgrd->bgrtd", x, self.Wq)
        k = torch.einsum("bsm,mgd->bgsd", x, self.Wk)
        v = torch.einsum("bsm,mgd->bgsd", x, self.Wv)
        z = torch.einsum("bgrtd,bgsd->bgrts", q, k) * self.scale
        if attention_mask is not None:
            b, g, r, t, s = z.shape
            ok = (attention_mask != 0).expand(b, g * r, t, s).reshape(b, g, r, t, s)
            z = z.masked_fill(~ok, torch.finfo(z.dtype).min)
        p = z.softmax(-1)
        return torch.einsum("bgrts,bgsd,grdm->btm", p, v, self.Wo)
