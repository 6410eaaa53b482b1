import torch


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, d = query.shape
    _, block_size, kv_heads, _ = key_pool.shape
    longest = int(lengths.max())
    used = -(-longest // block_size)  # blocks that anybody needs

    index = block_table[:, :used].long()
    # (batch, used, block_size, kv, d) -> (batch, tokens, heads, d)
    rep = heads // kv_heads
    k = key_pool[index].flatten(1, 2).repeat_interleave(rep, dim=2)
    v = value_pool[index].flatten(1, 2).repeat_interleave(rep, dim=2)

    scores = torch.einsum("bhd,bthd->bht", query, k) * d ** -0.5
    ragged = bool((lengths != longest).any())
    if ragged:
        t = torch.arange(scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(t >= lengths[:, None, None], float("-inf"))
    return torch.einsum("bht,bthd->bhd", scores.softmax(dim=-1), v)
