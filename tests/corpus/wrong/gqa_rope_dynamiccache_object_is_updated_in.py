# wrong: gqa-rope cache-changed-in-place line 19
# fair: cache-changed-in-place 20
import torch
from torch import nn


class DynamicCache:
    def __init__(self):
        self.key_cache = None
        self.value_cache = None

    def get_seq_length(self):
        return 0 if self.key_cache is None else self.key_cache.shape[-2]

    def update(self, key_states, value_states):
        if self.key_cache is None:
            self.key_cache, self.value_cache = key_states, value_states
        else:
            self.key_cache = torch.cat([self.key_cache, key_states], dim=-2)
            self.value_cache = torch.cat([self.value_cache, value_states], dim=-2)
        return self.key_cache, self.value_cache


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def repeat_kv(hidden_states, n_rep):
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.num_key_value_groups = num_heads // num_kv_heads
        self.rope_theta = base
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def rotary_emb(self, position_ids, dtype):
        steps = torch.arange(0, self.head_dim, 2, device=position_ids.device).float()
        inv_freq = 1.0 / (self.rope_theta ** (steps / self.head_dim))
        freqs = position_ids.float()[:, None] * inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype), emb.sin().to(dtype)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.shape
        past_key_values = cache if cache is not None else DynamicCache()
        query_states = self.q_proj(x).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
        key_states = self.k_proj(x).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
        value_states = self.v_proj(x).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)

        past_seen_tokens = past_key_values.get_seq_length()
        cache_position = torch.arange(past_seen_tokens, past_seen_tokens + q_len, device=x.device)
        cos, sin = self.rotary_emb(cache_position, x.dtype)
        query_states = query_states * cos + rotate_half(query_states) * sin
        key_states = key_states * cos + rotate_half(key_states) * sin
        key_states, value_states = past_key_values.update(key_states, value_states)

        key_states = repeat_kv(key_states, self.num_key_value_groups)
        value_states = repeat_kv(value_states, self.num_key_value_groups)
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.head_dim**-0.5
        causal_mask = torch.arange(key_states.shape[-2], device=x.device) > cache_position[:, None]
        attn_weights = attn_weights.masked_fill(causal_mask, torch.finfo(attn_weights.dtype).min)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(query_states.dtype)
        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), past_key_values
