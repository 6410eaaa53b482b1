"""Names of DeepSeek's modeling_deepseek.py (q_proj, kv_a_proj_with_mqa, kv_b_proj, o_proj)."""
import torch
from torch import nn


class DeepseekRotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.dim, self.base = dim, base

    @torch.no_grad()
    def forward(self, x, position_ids):
        exponent = torch.arange(0, self.dim, 2, dtype=torch.float64, device=x.device) / self.dim
        inv_freq = 1.0 / (self.base**exponent)
        freqs = torch.outer(position_ids.to(torch.float64), inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(x.dtype), emb.sin().to(x.dtype)


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, qk_nope_head_dim, qk_rope_head_dim, kv_lora_rank):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = self.v_head_dim = qk_nope_head_dim
        self.qk_rope_head_dim = qk_rope_head_dim
        self.kv_lora_rank = kv_lora_rank
        self.q_head_dim = self.qk_nope_head_dim + self.qk_rope_head_dim
        self.softmax_scale = self.q_head_dim ** (-0.5)

        self.q_proj = nn.Linear(hidden_size, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_size, kv_lora_rank + qk_rope_head_dim, bias=True)
        self.kv_b_proj = nn.Linear(kv_lora_rank, num_heads * (qk_nope_head_dim + self.v_head_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * self.v_head_dim, hidden_size, bias=True)
        self.rotary_emb = DeepseekRotaryEmbedding(qk_rope_head_dim)

    def forward(self, hidden_states, past_key_value=None):
        bsz, q_len, _ = hidden_states.size()
        past = 0 if past_key_value is None else past_key_value[0].shape[1]

        q = self.q_proj(hidden_states).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)

        compressed_kv = self.kv_a_proj_with_mqa(hidden_states)
        compressed_kv, k_pe = torch.split(compressed_kv, [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)

        cos, sin = self.rotary_emb(k_pe, torch.arange(past, past + q_len, device=hidden_states.device))
        k_pe = k_pe * cos + rotate_half(k_pe) * sin
        q_pe = q_pe * cos + rotate_half(q_pe) * sin
        if past_key_value is not None:
            compressed_kv = torch.cat([past_key_value[0], compressed_kv], dim=1)
            k_pe = torch.cat([past_key_value[1], k_pe], dim=1)
        kv_len = k_pe.shape[1]

        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        k_pe_all = k_pe[:, None].expand(-1, self.num_heads, -1, -1)
        query_states = torch.cat([q_nope, q_pe], dim=-1)
        key_states = torch.cat([k_nope, k_pe_all], dim=-1)

        attn = torch.matmul(query_states, key_states.transpose(2, 3)) * self.softmax_scale
        causal = torch.ones(q_len, kv_len, dtype=torch.bool, device=attn.device).tril(kv_len - q_len)
        attn = attn.masked_fill(~causal, torch.finfo(attn.dtype).min)
        attn = nn.functional.softmax(attn, dim=-1)
        out = torch.matmul(attn, value_states).transpose(1, 2).flatten(2)
        return self.o_proj(out), (compressed_kv, k_pe)
