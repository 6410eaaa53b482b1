# wrong: paged kv-heads-tiled line 8, 9
import torch


def paged_attention(query, k_cache, v_cache, block_tables, seq_lens):
    n_rep = query.shape[1] // k_cache.shape[2]
    # give every query head a key and a value head
    k = k_cache[block_tables].flatten(1, 2).repeat(1, 1, n_rep, 1)
    v = v_cache[block_tables].flatten(1, 2).repeat(1, 1, n_rep, 1)
    scores = torch.einsum("bhd,bshd->bhs", query, k).div(query.shape[-1] ** 0.5)
    keep = torch.arange(k.shape[1], device=k.device).lt(seq_lens[:, None])[:, None]
    scores = scores.where(keep, torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device))
    return torch.einsum("bhs,bshd->bhd", scores.softmax(-1), v)
