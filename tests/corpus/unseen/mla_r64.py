import torch
from torch import nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.dim, self.base = dim, base

    @torch.no_grad()
    def forward(self, position_ids, like):
        wide = torch.promote_types(like.dtype, torch.float32)
        idx = torch.arange(0, self.dim, 2, device=like.device, dtype=wide)
        inv_freq = 1.0 / self.base ** (idx / self.dim)
        freqs = position_ids.to(wide)[:, None] * inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = self.v_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.q_head_dim = head_dim + rope_dim
        self.kv_lora_rank = latent_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.rotary_emb = RotaryEmbedding(rope_dim)
        self.softmax_scale = self.q_head_dim ** -0.5

    def forward(self, hidden_states, cache=None):
        bsz, q_len, _ = hidden_states.size()
        past = 0 if cache is None else cache.shape[1]
        q = self.q_proj(hidden_states).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)

        compressed_kv, k_pe = torch.split(
            self.kv_a_proj_with_mqa(hidden_states), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        cos, sin = self.rotary_emb(torch.arange(past, past + q_len, device=q.device), q)
        q_pe = (q_pe * cos + rotate_half(q_pe) * sin).to(q.dtype)
        k_pe = (k_pe * cos + rotate_half(k_pe) * sin).to(q.dtype)

        new = torch.cat([compressed_kv, k_pe], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        compressed_kv, k_pe = cache.split([self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        kv_len = cache.shape[1]

        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_len, self.num_heads, 2 * self.v_head_dim)
        k_nope, value_states = kv.transpose(1, 2).split([self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k_pe = k_pe.unsqueeze(1).expand(-1, self.num_heads, -1, -1)
        query_states = torch.cat([q_nope, q_pe], dim=-1)
        key_states = torch.cat([k_nope, k_pe], dim=-1)

        attn_weights = query_states @ key_states.transpose(2, 3) * self.softmax_scale
        causal = torch.ones(q_len, kv_len, dtype=torch.bool, device=q.device).tril(past)
        attn_weights = attn_weights.masked_fill(~causal, torch.finfo(q.dtype).min)
        attn_output = attn_weights.softmax(dim=-1) @ value_states
        return self.o_proj(attn_output.transpose(1, 2).reshape(bsz, q_len, -1)), cache
