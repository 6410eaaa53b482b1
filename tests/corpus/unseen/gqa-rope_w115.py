import torch
from torch import nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def repeat_kv(hidden_states, n_rep):
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, x, position_ids):
        exponent = torch.arange(0, self.dim, 2, device=x.device, dtype=torch.float64) / self.dim
        freqs = position_ids.to(torch.float64)[:, None] / self.base ** exponent
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_key_value_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(self.head_dim, base)

    @staticmethod
    def past_length(past_key_value):
        if past_key_value is None:
            return 0
        key_states, _ = past_key_value
        return key_states.shape[1]

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        query_states = self.q_proj(x).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        key_states = self.k_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)
        value_states = self.v_proj(x).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)

        past = self.past_length(cache)
        position_ids = torch.arange(past, past + q_len, device=x.device)
        cos, sin = self.rotary_emb(x, position_ids)
        query_states = query_states * cos + rotate_half(query_states) * sin
        key_states = key_states * cos + rotate_half(key_states) * sin

        if cache is not None:
            key_states = torch.cat([cache[0], key_states], dim=2)
            value_states = torch.cat([cache[1], value_states], dim=2)
        cache = (key_states, value_states)

        n_rep = self.num_heads // self.num_key_value_heads
        k, v = repeat_kv(key_states, n_rep), repeat_kv(value_states, n_rep)
        attn_weights = query_states @ k.transpose(2, 3) * self.head_dim ** -0.5
        kv_len = k.shape[2]
        causal = torch.ones(q_len, kv_len, dtype=torch.bool, device=x.device).tril(kv_len - q_len)
        attn_weights = attn_weights.masked_fill(~causal, torch.finfo(x.dtype).min)
        attn_output = torch.softmax(attn_weights, dim=-1) @ v
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), cache
