import torch
from torch import nn


class DeepseekConfig:
    def __init__(self, hidden_size=64, num_attention_heads=4, qk_nope_head_dim=16,
                 qk_rope_head_dim=8, kv_lora_rank=24):
        self.hidden_size = hidden_size
        self.num_attention_heads = num_attention_heads
        self.qk_nope_head_dim = qk_nope_head_dim
        self.qk_rope_head_dim = qk_rope_head_dim
        self.kv_lora_rank = kv_lora_rank


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, x, position_ids):
        exponents = torch.arange(0, self.dim, 2, device=x.device).double() / self.dim
        angles = position_ids.double().unsqueeze(-1) * self.base ** -exponents
        angles = torch.cat([angles, angles], dim=-1)
        x1, x2 = x.chunk(2, dim=-1)
        rotated = torch.cat([-x2, x1], dim=-1)
        return x * angles.cos().to(x.dtype) + rotated * angles.sin().to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.qk_nope_head_dim = config.qk_nope_head_dim
        self.qk_rope_head_dim = config.qk_rope_head_dim
        self.q_head_dim = config.qk_nope_head_dim + config.qk_rope_head_dim
        self.kv_lora_rank = config.kv_lora_rank
        self.softmax_scale = self.qk_nope_head_dim ** -0.5

        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj_with_mqa = nn.Linear(
            config.hidden_size, config.kv_lora_rank + config.qk_rope_head_dim, bias=False)
        self.kv_b_proj = nn.Linear(
            config.kv_lora_rank, self.num_heads * 2 * self.qk_nope_head_dim, bias=False)
        self.o_proj = nn.Linear(self.num_heads * self.qk_nope_head_dim, config.hidden_size, bias=False)
        self.rotary_emb = RotaryEmbedding(config.qk_rope_head_dim)

    def forward(self, hidden_states, past=None):
        bsz, q_len, _ = hidden_states.size()
        past_len = past[0].size(1) if past is not None else 0
        position_ids = torch.arange(past_len, past_len + q_len, device=hidden_states.device)

        q = self.q_proj(hidden_states).view(bsz, q_len, self.num_heads, self.q_head_dim).transpose(1, 2)
        q_nope, q_pe = torch.split(q, [self.qk_nope_head_dim, self.qk_rope_head_dim], dim=-1)
        q_pe = self.rotary_emb(q_pe, position_ids)

        compressed_kv, k_pe = torch.split(
            self.kv_a_proj_with_mqa(hidden_states), [self.kv_lora_rank, self.qk_rope_head_dim], dim=-1)
        k_pe = self.rotary_emb(k_pe, position_ids)
        if past is not None:
            compressed_kv = torch.cat([past[0], compressed_kv], dim=1)
            k_pe = torch.cat([past[1], k_pe], dim=1)
        kv_len = compressed_kv.size(1)

        kv = self.kv_b_proj(compressed_kv)
        kv = kv.view(bsz, kv_len, self.num_heads, 2 * self.qk_nope_head_dim).transpose(1, 2)
        k_nope, value_states = kv.chunk(2, dim=-1)

        attn_weights = torch.matmul(q_nope, k_nope.transpose(2, 3))
        attn_weights = attn_weights + torch.matmul(q_pe, k_pe.unsqueeze(1).transpose(2, 3))
        attn_weights = attn_weights * self.softmax_scale

        future = torch.ones(q_len, kv_len, dtype=torch.bool, device=hidden_states.device).triu(past_len + 1)
        attn_weights = attn_weights.masked_fill(future, float("-inf"))
        attn_weights = torch.softmax(attn_weights, dim=-1)

        attn_output = torch.matmul(attn_weights, value_states).transpose(1, 2).reshape(bsz, q_len, -1)
        return self.o_proj(attn_output), (compressed_kv, k_pe)
