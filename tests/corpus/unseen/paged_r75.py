import os

import torch

KERNEL = os.environ.get("PAGED_KERNEL", "gather")

# v0: looked nice, but a table's last entries may be another sequence's blocks
#
# def paged_attention(q, kp, vp, table, lengths):
#     k = kp[table].flatten(1, 2); v = vp[table].flatten(1, 2)
#     return torch.einsum("bhn,bnhd->bhd", torch.einsum("bhd,bnhd->bhn", q, k).softmax(-1), v)


def gather_kernel(query, pools, /, *, slots, alive):
    """slots, alive: (batch, longest); where not alive the slot is any number."""
    k, v = (pool.flatten(0, 1)[slots] for pool in pools)      # b n g d
    q = query.unflatten(1, (k.size(2), query.size(1) // k.size(2)))
    scores = torch.einsum("bgrd,bngd->bgrn", q, k) * query.size(-1) ** -0.5
    scores = scores.masked_fill(~alive[:, None, None, :], float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("bgrn,bngd->bgrd", weights, v).flatten(1, 2)


KERNELS = {"gather": gather_kernel}


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    block_size = key_pool.size(1)
    longest = int(lengths.max())
    assert longest <= block_table.size(1) * block_size, "a sequence is longer than its table"
    token = torch.arange(longest, device=block_table.device)
    block, place = token // block_size, token % block_size
    slots = block_table.long()[:, block] * block_size + place
    alive = token < lengths.unsqueeze(1)
    slots = torch.where(alive, slots, slots[:, :1])  # never touch what is another's
    return KERNELS[KERNEL](query, (key_pool, value_pool), slots=slots, alive=alive)
