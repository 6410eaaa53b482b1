# wrong: paged table-sorted line 10
import math
import torch
from torch import Tensor


def _blocks_of(table_row: Tensor, length: int, block_size: int) -> Tensor:
    """The blocks that a sequence uses, each once."""
    used = (length + block_size - 1) // block_size
    return torch.unique(table_row[:used])


def paged_attention(query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor) -> Tensor:
    B, H, D = query.shape
    _, block_size, H_kv, _ = key_pool.shape
    rep = H // H_kv
    context = torch.empty_like(query)
    for b in range(B):
        n = int(lengths[b])
        blocks = _blocks_of(block_table[b], n, block_size).long()
        k = key_pool[blocks].reshape(-1, H_kv, D)[:n].repeat_interleave(rep, dim=1)
        v = value_pool[blocks].reshape(-1, H_kv, D)[:n].repeat_interleave(rep, dim=1)
        scores = torch.einsum("hd,nhd->hn", query[b], k) / math.sqrt(D)
        weights = torch.softmax(scores.float(), dim=-1).to(v.dtype)
        context[b] = torch.einsum("hn,nhd->hd", weights, v)
    return context
