# vLLM-like MLA decode path (torch reference, no kernels)
from __future__ import annotations

import torch
from torch import Tensor


def rotate_neox(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    x1, x2 = torch.chunk(x, 2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def cos_sin(positions: Tensor, rotary_dim: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    exponent = torch.arange(0, rotary_dim, 2, dtype=torch.float32, device=positions.device)
    inv_freq = 1.0 / (10000.0 ** (exponent / rotary_dim))
    freqs = positions.to(torch.float32).unsqueeze(-1) * inv_freq
    return freqs.cos().to(dtype), freqs.sin().to(dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    cos, sin = cos_sin(positions, key_rope.shape[-1], key_rope.dtype)
    k_pe = rotate_neox(key_rope, cos, sin)
    return torch.cat((latent, k_pe), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    num_heads, q_len, qk_nope_head_dim = query_content.shape[1:]
    qk_rope_head_dim = query_rope.shape[-1]
    kv_lora_rank = cache.shape[-1] - qk_rope_head_dim

    W_UK, W_UV = kv_up.view(num_heads, 2 * qk_nope_head_dim, kv_lora_rank).split(
        qk_nope_head_dim, dim=1
    )
    seq_lens = lengths.to(cache.device)
    q_pos = (seq_lens - q_len).unsqueeze(1) + torch.arange(q_len, device=cache.device)
    cos, sin = cos_sin(q_pos.unsqueeze(1), qk_rope_head_dim, query_rope.dtype)
    q_pe = rotate_neox(query_rope, cos, sin)

    # ql_nope: (B, N, S, L)
    ql_nope = torch.einsum("bnsp,npl->bnsl", query_content, W_UK)
    q = torch.cat((ql_nope, q_pe), dim=-1)

    scale = q.shape[-1] ** -0.5
    scores = torch.einsum("bnsc,btc->bnst", q, cache) * scale
    t = torch.arange(cache.shape[1], device=cache.device)
    visible = t[None, None, :] <= q_pos[:, :, None]
    scores = scores.masked_fill(visible.logical_not().unsqueeze(1), float("-inf"))
    probs = torch.softmax(scores, dim=-1)

    o = torch.einsum("bnst,btl->bnsl", probs, cache[..., :kv_lora_rank])
    return torch.einsum("bnsl,nvl->bnsv", o, W_UV)
