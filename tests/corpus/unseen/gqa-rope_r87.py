"""transformers' LlamaAttention squeezed into one class, the rotary part a module of its own."""
import torch
from torch import nn


class LlamaRotaryEmbedding(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.dim, self.base = dim, base

    @torch.no_grad()
    def forward(self, x, position_ids):
        # always float32 or more, even after model.half(): nothing here is a buffer
        wide = torch.promote_types(x.dtype, torch.float32)
        exponent = torch.arange(0, self.dim, 2, dtype=torch.int64, device=x.device).to(wide) / self.dim
        inv_freq = 1.0 / (self.base**exponent)
        freqs = position_ids.to(wide)[:, None] @ inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=0):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


def repeat_kv(hidden_states, n_rep):
    if n_rep == 1:
        return hidden_states
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.n_rep = num_heads // num_kv_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = LlamaRotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        past = 0 if cache is None else cache["k"].shape[2]
        q, k, v = (
            proj(x).view(b, t, -1, self.head_dim).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        cos, sin = self.rotary_emb(x, torch.arange(past, past + t, device=x.device))
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        if past:
            k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
        scores = q @ repeat_kv(k, self.n_rep).transpose(2, 3) * self.head_dim**-0.5
        causal_mask = torch.full((t, past + t), torch.finfo(x.dtype).min, dtype=x.dtype, device=x.device)
        scores = scores + torch.triu(causal_mask, diagonal=past + 1)
        out = scores.softmax(-1, dtype=torch.promote_types(x.dtype, torch.float32)).to(x.dtype) @ repeat_kv(v, self.n_rep)
        return self.o_proj(out.transpose(1, 2).reshape(b, t, -1)), {"k": k, "v": v}
