# modeling_llama-ish
import torch
from torch import nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(t, cos, sin):
    return (t * cos) + (rotate_half(t) * sin)


def repeat_kv(h, n_rep):
    b, kvh, s, d = h.shape
    return h[:, :, None, :, :].expand(b, kvh, n_rep, s, d).reshape(b, kvh * n_rep, s, d)


class RotaryEmbedding:
    """Holds no tensors: .to(bfloat16) cannot reach the frequencies."""

    def __init__(self, dim, base):
        self.dim, self.base = dim, base

    def __call__(self, position_ids, dtype):
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        exponent = torch.arange(0, self.dim, 2, device=position_ids.device).to(wide) / self.dim
        freqs = position_ids.to(wide)[:, None] / (self.base ** exponent)[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        past_len = cache[0].shape[-2] if cache is not None else 0

        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, q_len, self.num_kv_heads, self.head_dim).transpose(1, 2)

        position_ids = torch.arange(past_len, past_len + q_len, device=x.device)
        cos, sin = self.rotary_emb(position_ids, x.dtype)
        q = apply_rotary_pos_emb(q, cos, sin).to(x.dtype)
        k = apply_rotary_pos_emb(k, cos, sin).to(x.dtype)

        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)

        w = torch.matmul(q, repeat_kv(k, self.num_heads // self.num_kv_heads).transpose(2, 3)) * self.head_dim ** -0.5
        causal = torch.arange(k.shape[2], device=x.device)[None, :] <= position_ids[:, None]
        w = w.masked_fill(~causal, torch.finfo(w.dtype).min)
        w = torch.softmax(w, dim=-1, dtype=cos.dtype).to(x.dtype)
        out = torch.matmul(w, repeat_kv(v, self.num_heads // self.num_kv_heads))
        out = out.transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(out), (k, v)
