"""A functional Llama block: a dictionary of arrays, pure functions, and a thin module around it."""
import torch
import torch.nn.functional as F
from torch import nn


def rms(u, gain):
    wide = u.to(torch.promote_types(u.dtype, torch.float32))
    power = torch.linalg.vecdot(wide, wide, dim=-1).unsqueeze(-1) / u.shape[-1]
    return (wide * (power + 1e-5).rsqrt()).to(u.dtype) * gain


def spin(t, cos, sin):
    # t: batch, head, time, feature. A pair is one row of a (2, d/2) table.
    lo, hi = t.unflatten(-1, (2, -1)).unbind(-2)
    turned = torch.stack([lo * cos - hi * sin, hi * cos + lo * sin], dim=-2)
    return turned.flatten(-2).to(t.dtype)


def attend(u, w, cos, sin, sizes):
    heads, kv_heads, d = sizes
    all_heads = F.linear(u, w["qkv"]).unflatten(-1, (-1, d)).transpose(1, 2)
    q, k, v = all_heads.tensor_split((heads, heads + kv_heads), dim=1)
    q, k = spin(q, cos, sin), spin(k, cos, sin)
    owner = torch.arange(heads, device=u.device) // (heads // kv_heads)
    k, v = k.index_select(1, owner), v.index_select(1, owner)
    logits = torch.matmul(q, k.mT).div(d ** 0.5)
    n = u.shape[1]
    penalty = torch.zeros(n, n, dtype=u.dtype, device=u.device)
    step = torch.arange(n, device=u.device)
    penalty[step[:, None] < step] = -torch.inf
    y = torch.softmax(logits + penalty, dim=-1).matmul(v)
    return F.linear(y.transpose(1, 2).flatten(2), w["out"])


def swiglu(u, w):
    gate = F.linear(u, w["gate"])
    return F.linear(gate * torch.sigmoid(gate) * F.linear(u, w["up"]), w["down"])


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        d = hidden_dim // num_heads
        self.hd = num_heads, num_kv_heads, d
        shapes = {
            "qkv": ((num_heads + 2 * num_kv_heads) * d, hidden_dim),
            "out": (hidden_dim, num_heads * d),
            "gate": (mlp_dim, hidden_dim),
            "up": (mlp_dim, hidden_dim),
            "down": (hidden_dim, mlp_dim),
        }
        self.w = nn.ParameterDict({k: nn.Parameter(torch.randn(s) * s[1] ** -0.5) for k, s in shapes.items()})
        for name in ("norm1", "norm2"):
            self.w[name] = nn.Parameter(torch.ones(hidden_dim))

    def forward(self, x, cos, sin):
        h = attend(rms(x, self.w["norm1"]), self.w, cos, sin, self.hd) + x
        return swiglu(rms(h, self.w["norm2"]), self.w) + h
