import torch


def _slots(block_table, block_size):
    """(batch, max_blocks * block_size): every token's place in the flat pool."""
    t = torch.arange(block_table.size(1) * block_size, device=block_table.device)
    return block_table[:, t // block_size].long() * block_size + t % block_size, t


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    num_blocks, block_size, n_kv, d = key_pool.shape
    slots, t = _slots(block_table, block_size)
    k = key_pool.flatten(0, 1)[slots]
    v = value_pool.flatten(0, 1)[slots]

    q = query.unflatten(1, (n_kv, query.size(1) // n_kv))
    logits = torch.einsum("bngd,btnd->bngt", q, k).float() * d**-0.5
    seen = t <= lengths.unsqueeze(1)
    logits = torch.where(seen[:, None, None], logits, torch.finfo(logits.dtype).min)
    probs = logits.softmax(-1).to(v.dtype)
    return torch.einsum("bngt,btnd->bngd", probs, v).flatten(1, 2)
