import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], dim=-1)


def apply_rotary(q, k, cos, sin):
    cos, sin = (t.repeat_interleave(2, dim=-1)[None, None] for t in (cos, sin))
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class LlamaAttention(nn.Module):
    def __init__(self, hidden, heads, kv_heads):
        super().__init__()
        self.head_dim = hidden // heads
        self.groups = heads // kv_heads
        self.q_proj = nn.Linear(hidden, heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden, kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden, kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(heads * self.head_dim, hidden, bias=False)

    def forward(self, x, cos, sin):
        b, t, _ = x.shape
        q, k, v = (
            p(x).view(b, t, -1, self.head_dim).transpose(1, 2)
            for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = apply_rotary(q, k, cos, sin)
        k, v = (torch.repeat_interleave(z, self.groups, dim=1) for z in (k, v))
        w = torch.matmul(q, k.transpose(-2, -1)) * self.head_dim**-0.5
        causal = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        w = F.softmax(w.masked_fill(~causal, torch.finfo(w.dtype).min), dim=-1)
        return self.o_proj(torch.matmul(w, v).transpose(1, 2).reshape(b, t, -1))


class LlamaMLP(nn.Module):
    def __init__(self, hidden, inner):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, inner, bias=False)
        self.up_proj = nn.Linear(hidden, inner, bias=False)
        self.down_proj = nn.Linear(inner, hidden, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.input_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.self_attn = LlamaAttention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = LlamaMLP(hidden_dim, mlp_dim)

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))
