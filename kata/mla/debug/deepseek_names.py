import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(x, cos, sin):
    return (x * cos + rotate_half(x) * sin).type_as(x)


class DeepseekV2RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, position_ids):
        freqs = torch.outer(position_ids.float(), self.inv_freq.float())
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, qk_nope_head_dim, qk_rope_head_dim, kv_lora_rank):
        super().__init__()
        self.num_heads = num_heads
        self.qk_nope_head_dim = qk_nope_head_dim
        self.qk_rope_head_dim = qk_rope_head_dim
        self.kv_lora_rank = kv_lora_rank
        self.v_head_dim = qk_nope_head_dim
        self.q_head_dim = qk_nope_head_dim + qk_rope_head_dim
        self.q_proj = nn.Linear(hidden_size, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(
            hidden_size, kv_lora_rank + qk_rope_head_dim, bias=False
        )
        self.kv_b_proj = nn.Linear(
            kv_lora_rank, num_heads * (qk_nope_head_dim + self.v_head_dim), bias=False
        )
        self.o_proj = nn.Linear(num_heads * self.v_head_dim, hidden_size, bias=False)
        self.rotary_emb = DeepseekV2RotaryEmbedding(qk_rope_head_dim)
        self.softmax_scale = self.q_head_dim ** (-0.5)

    def forward(self, hidden_states, past_key_value=None):
        bsz, q_len, _ = hidden_states.size()
        q = self.q_proj(hidden_states)
        q = q.view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)

        compressed_kv = self.kv_a_proj_with_mqa(hidden_states)
        compressed_kv, k_pe = torch.split(
            compressed_kv, [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1
        )
        past = 0 if past_key_value is None else past_key_value[0].shape[1]
        cos, sin = self.rotary_emb(torch.arange(past, past + q_len, device=hidden_states.device))
        q_pe = apply_rotary_pos_emb(q_pe, cos, sin)
        k_pe = apply_rotary_pos_emb(k_pe, cos, sin)
        if past_key_value is not None:
            compressed_kv = torch.cat([past_key_value[0], compressed_kv], dim=1)
            k_pe = torch.cat([past_key_value[1], k_pe], dim=1)
        present = (compressed_kv, k_pe)
        kv_len = compressed_kv.shape[1]
        kv = self.kv_b_proj(compressed_kv)
        kv = kv.view(bsz, kv_len, self.num_heads, self.qk_nope_head_dim + self.v_head_dim)
        k_nope, value_states = kv.transpose(1, 2).split(
            [self.qk_nope_head_dim, self.v_head_dim], dim=-1
        )
        query_states = torch.cat([q_nope, q_pe], dim=-1)
        key_states = k_pe.new_empty(bsz, self.num_heads, kv_len, self.q_head_dim)
        key_states[..., : self.qk_nope_head_dim] = k_nope
        key_states[..., self.qk_nope_head_dim :] = k_pe[:, None]
        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.softmax_scale
        causal_mask = torch.full(
            (q_len, kv_len), torch.finfo(attn_weights.dtype).min, device=q.device
        )
        causal_mask = torch.triu(causal_mask, diagonal=kv_len - q_len + 1)
        attn_weights = attn_weights + causal_mask.to(attn_weights.dtype)
        attn_weights = F.softmax(attn_weights, dim=-1, dtype=torch.float32).to(q.dtype)
        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2).contiguous()
        attn_output = attn_output.reshape(bsz, q_len, self.num_heads * self.v_head_dim)
        return self.o_proj(attn_output), present
