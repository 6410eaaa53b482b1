import torch
from torch import einsum, nn

# helpers


def exists(val):
    return val is not None


def rearrange_qkv(t):
    # 'b n (three d) -> three b n d'
    b, n, dd = t.shape
    return t.reshape(b, 3, n, dd // 3).transpose(0, 1)


# classes


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim, scale=None):
        super().__init__()
        self.scale = scale if exists(scale) else hidden_dim ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = rearrange_qkv(self.to_qkv(x))

        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale
        attn = sim.softmax(dim=-1)

        out = einsum('b i j, b j d -> b i d', attn, v)
        return self.to_out(out)
