import torch
import torch.nn.functional as F
from torch import nn


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, position_ids, base=10000):
    dim = q.shape[-1]
    inv_freq = base ** (-torch.arange(0, dim, 2, device=q.device).double() / dim)
    freqs = torch.outer(position_ids.double(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    cos, sin = emb.cos().to(q.dtype), emb.sin().to(q.dtype)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


class DeepseekV2Attention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads = num_heads
        self.kv_lora_rank = latent_dim
        self.qk_nope_head_dim = self.v_head_dim = head_dim
        self.qk_rope_head_dim = rope_dim
        self.q_head_dim = head_dim + rope_dim
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b_proj = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        past_len = cache[0].shape[1] if cache is not None else 0
        q = self.q_proj(x).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        compressed_kv = self.kv_a_proj_with_mqa(x)
        compressed_kv, k_pe = torch.split(compressed_kv, [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = k_pe.view(bsz, q_len, 1, self.qk_rope_head_dim).transpose(1, 2)
        position_ids = torch.arange(past_len, past_len + q_len, device=x.device)
        q_pe, k_pe = apply_rotary_pos_emb(q_pe, k_pe, position_ids)
        k_pe = k_pe.expand(-1, self.num_heads, -1, -1).contiguous()

        if cache is not None:
            compressed_kv = torch.cat([cache[0], compressed_kv], dim=1)
            k_pe = torch.cat([cache[1], k_pe], dim=2)
        kv_seq_len = compressed_kv.shape[1]
        kv = self.kv_b_proj(compressed_kv).view(bsz, kv_seq_len, self.num_heads, -1).transpose(1, 2)
        k_nope, value_states = torch.split(kv, [self.qk_nope_head_dim, self.v_head_dim], dim=-1)
        query_states = torch.cat([q_nope, q_pe], dim=-1)
        key_states = torch.cat([k_nope, k_pe], dim=-1)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) * self.q_head_dim ** -0.5
        mask = torch.arange(kv_seq_len, device=x.device)[None] > position_ids[:, None]
        attn_weights = attn_weights.masked_fill(mask, torch.finfo(x.dtype).min)
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2).contiguous()
        return self.o_proj(attn_output.reshape(bsz, q_len, -1)), (compressed_kv, k_pe)


class MultiHeadLatentAttention(DeepseekV2Attention):
    pass
