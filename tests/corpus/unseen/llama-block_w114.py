import math

import torch
from torch import nn
from torch.nn import Parameter
from torch.nn.functional import linear, silu


def glorot(rows, cols):
    return Parameter(torch.randn(rows, cols) * math.sqrt(2 / (rows + cols)))


def rms_norm(x, scale):
    return scale * (x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt())


def lengths_to_mask(lengths, max_len):
    """Row i is True at as many columns as lengths[i] says."""
    return torch.stack([
        torch.arange(max_len, device=lengths.device) for _ in lengths
    ]) <= lengths[:, None]


def rope(x, cos, sin):
    half = x.shape[-1] // 2
    out = torch.empty_like(x)
    out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    out[..., half:] = x[..., half:] * cos + x[..., :half] * sin
    return out


def attention(p, x, cos, sin, num_heads, num_kv_heads):
    n, t, width = x.shape
    d = width // num_heads
    q = linear(x, p["wq"]).view(n, t, num_heads, d)
    k = linear(x, p["wk"]).view(n, t, num_kv_heads, d)
    v = linear(x, p["wv"]).view(n, t, num_kv_heads, d)
    outs = []
    # position t has t + 1 keys
    visible = lengths_to_mask(torch.arange(t, device=x.device) + 1, t)
    for h in range(num_heads):
        g = h * num_kv_heads // num_heads
        s = torch.bmm(rope(q[:, :, h], cos, sin), rope(k[:, :, g], cos, sin).transpose(1, 2))
        s = s.div(math.sqrt(d)).masked_fill(visible.logical_not(), -math.inf)
        outs.append(torch.bmm(torch.softmax(s, dim=2), v[:, :, g]))
    return linear(torch.cat(outs, dim=2), p["wo"])


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.heads = num_heads, num_kv_heads
        kv = hidden_dim // num_heads * num_kv_heads
        self.attn = nn.ParameterDict({
            "wq": glorot(hidden_dim, hidden_dim),
            "wk": glorot(kv, hidden_dim),
            "wv": glorot(kv, hidden_dim),
            "wo": glorot(hidden_dim, hidden_dim),
        })
        self.ffn = nn.ParameterDict({
            "gate": glorot(mlp_dim, hidden_dim),
            "up": glorot(mlp_dim, hidden_dim),
            "down": glorot(hidden_dim, mlp_dim),
        })
        self.norm1 = Parameter(torch.ones(hidden_dim))
        self.norm2 = Parameter(torch.ones(hidden_dim))

    def forward(self, x, cos, sin):
        h = x + attention(self.attn, rms_norm(x, self.norm1), cos, sin, *self.heads)
        u = rms_norm(h, self.norm2)
        return h + linear(silu(linear(u, self.ffn["gate"])) * linear(u, self.ffn["up"]), self.ffn["down"])
