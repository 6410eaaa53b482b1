# wrong: mla-absorbed lengths-ignored line 53
# Names and order of axes as in vLLM's MLACommonImpl: W_UK_T, W_UV, heads first for bmm.
import torch


class RotaryEmbedding:
    def __init__(self, rotary_dim, base=10000):
        self.rotary_dim = rotary_dim
        self.base = base

    def cos_sin(self, positions, dtype):
        compute = torch.promote_types(dtype, torch.float32)
        inv_freq = 1.0 / (
            self.base
            ** (torch.arange(0, self.rotary_dim, 2, dtype=compute, device=positions.device) / self.rotary_dim)
        )
        freqs = torch.einsum("...,j->...j", positions.to(compute), inv_freq)
        return freqs.cos(), freqs.sin()

    def __call__(self, x, positions):
        cos, sin = self.cos_sin(positions, x.dtype)
        x1, x2 = torch.chunk(x.to(cos.dtype), 2, dim=-1)
        return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).to(x.dtype)


def cache_entries(kv_c, k_pe, positions):
    rotary = RotaryEmbedding(k_pe.shape[-1])
    return torch.cat((kv_c, rotary(k_pe, positions)), dim=-1)


def process_weights(kv_b_proj, num_heads, qk_nope_head_dim):
    kv_lora_rank = kv_b_proj.shape[1]
    kv_b = kv_b_proj.T.view(kv_lora_rank, num_heads, 2 * qk_nope_head_dim)
    W_UK, W_UV = kv_b.split([qk_nope_head_dim, qk_nope_head_dim], dim=-1)
    return W_UK.permute(1, 2, 0), W_UV.transpose(0, 1)  # (N, P, L), (N, L, V)


def absorbed_attention(q_nope, q_pe, kv_c_and_k_pe_cache, seq_lens, kv_b_proj):
    B, N, S, P = q_nope.shape
    R = q_pe.shape[-1]
    L = kv_c_and_k_pe_cache.shape[-1] - R
    W_UK_T, W_UV = process_weights(kv_b_proj, N, P)
    positions = seq_lens.unsqueeze(1) - S + torch.arange(S, device=seq_lens.device)
    q_pe = RotaryEmbedding(R)(q_pe, positions.unsqueeze(1).expand(B, N, S))
    # (B, N, S, P) -> (N, B*S, P) x (N, P, L)
    ql_nope = torch.bmm(q_nope.permute(1, 0, 2, 3).reshape(N, B * S, P), W_UK_T)
    ql_nope = ql_nope.view(N, B, S, L).permute(1, 2, 0, 3)  # (B, S, N, L)
    q = torch.cat((ql_nope, q_pe.transpose(1, 2)), dim=-1).flatten(1, 2)  # (B, S*N, L+R)
    scale = (P + R) ** -0.5
    attn = (q @ kv_c_and_k_pe_cache.mT * scale).view(B, S, N, -1)
    keys = torch.arange(attn.shape[-1], device=attn.device)
    shared = positions - seq_lens.unsqueeze(1) + seq_lens.max()
    attn = attn.masked_fill((keys > shared.unsqueeze(-1)).unsqueeze(2), float("-inf"))
    attn = torch.softmax(attn.float() if attn.dtype != torch.float64 else attn, dim=-1).to(q.dtype)
    o = attn.flatten(1, 2) @ kv_c_and_k_pe_cache[..., :L]  # (B, S*N, L)
    o = o.view(B, S, N, L).permute(2, 0, 1, 3).reshape(N, B * S, L)
    o = torch.bmm(o, W_UV).view(N, B, S, P)
    return o.permute(1, 0, 2, 3)
