import torch
from torch import Tensor


def _slot_mapping(block_table: Tensor, page_size: int) -> Tensor:
    """(B, M) page numbers -> (B, M * page_size) flat slots in the pool."""
    inside = torch.arange(page_size, device=block_table.device)
    return (block_table.long().unsqueeze(-1) * page_size + inside).flatten(1)


def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor) -> Tensor:
    B, H, D = query.shape
    P, S, G, _ = key_pool.shape

    # no need to look at more table entries than the longest sequence uses
    used = -(-int(lengths.max()) // S)
    slots = _slot_mapping(block_table[:, :used], S)
    T = slots.size(1)

    keys = key_pool.reshape(P * S, G, D)[slots].permute(0, 2, 1, 3)      # B G T D
    vals = value_pool.reshape(P * S, G, D)[slots].permute(0, 2, 1, 3)
    outside = torch.arange(T, device=query.device)[None, :] >= lengths.to(query.device)[:, None]

    # whatever lies outside might be nan or inf from an old request: 0 * nan is nan
    vals = vals.masked_fill(outside[:, None, :, None], 0)

    q = query.reshape(B, G, H // G, D) * D**-0.5
    s = (q.float() if q.dtype in (torch.float16, torch.bfloat16) else q)
    s = s @ keys.to(s.dtype).transpose(-1, -2)
    s = s.masked_fill(outside[:, None, None, :], float("-inf"))
    w = torch.softmax(s, dim=-1)
    return (w @ vals.to(w.dtype)).reshape(B, H, D).to(query.dtype)
