import torch
from torch import nn


def rms_norm(x, weight, eps=1e-5):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean_square = wide.pow(2).mean(dim=-1, keepdim=True)
    wide = wide / (mean_square.sqrt() + eps)
    return weight * wide.to(x.dtype)


def silu(z):
    return z * torch.sigmoid(z)


def swiglu(u, w_gate, w_up, w_down):
    return (silu(u @ w_gate) * (u @ w_up)) @ w_down


def apply_rotary(x, cos, sin):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


def heads_first(x, n):
    b, t, w = x.shape
    return x.reshape(b, t, n, w // n).swapaxes(1, 2)


def causal_attention(q, k, v):
    t = q.shape[-2]
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    visible = torch.arange(t, device=q.device)[:, None] >= torch.arange(t, device=q.device)
    return torch.where(visible, scores, -torch.inf).softmax(-1) @ v


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        kv_dim = hidden_dim // num_heads * num_kv_heads
        shapes = dict(
            wq=(hidden_dim, hidden_dim), wk=(hidden_dim, kv_dim), wv=(hidden_dim, kv_dim), wo=(hidden_dim, hidden_dim),
            w_gate=(hidden_dim, mlp_dim), w_up=(hidden_dim, mlp_dim), w_down=(mlp_dim, hidden_dim),
        )
        for name, shape in shapes.items():
            self.register_parameter(name, nn.Parameter(torch.randn(shape) * shape[0] ** -0.5))
        self.norm1 = nn.Parameter(torch.ones(hidden_dim))
        self.norm2 = nn.Parameter(torch.ones(hidden_dim))

    def attention(self, u, cos, sin):
        q = apply_rotary(heads_first(u @ self.wq, self.num_heads), cos, sin)
        k = apply_rotary(heads_first(u @ self.wk, self.num_kv_heads), cos, sin)
        v = heads_first(u @ self.wv, self.num_kv_heads)
        k, v = (z.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1) for z in (k, v))
        return causal_attention(q, k, v).swapaxes(1, 2).reshape(u.shape) @ self.wo

    def forward(self, x, cos, sin):
        h = x + self.attention(rms_norm(x, self.norm1), cos, sin)
        return h + swiglu(rms_norm(h, self.norm2), self.w_gate, self.w_up, self.w_down)
