import math
import torch
from torch import Tensor


def gather_tokens(pool: Tensor, table: list, length: int) -> Tensor:
    block_size = pool.shape[1]
    blocks = math.ceil(length / block_size)
    rest = length % block_size
    pieces = [pool[number] for number in table[:blocks]]
    pieces[-1] = pieces[-1][:rest]
    return torch.cat(pieces, dim=0)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    outputs = []
    work = torch.float64 if query.dtype == torch.float64 else torch.float32
    group = query.shape[1] // key_pool.shape[2]
    for q, table, length in zip(query, block_table.tolist(), lengths.tolist()):
        k = gather_tokens(key_pool, table, length).to(work).repeat_interleave(group, dim=1)
        v = gather_tokens(value_pool, table, length).to(work).repeat_interleave(group, dim=1)
        scores = torch.einsum("hd,thd->ht", q.to(work), k) / math.sqrt(q.shape[-1])
        outputs.append(torch.einsum("ht,thd->hd", scores.softmax(dim=-1), v))
    return torch.stack(outputs).to(query.dtype)
