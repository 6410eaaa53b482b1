import math

import torch
from torch import Tensor


class PagedCache:
    """Keys and values of all sequences in blocks, and who owns which."""

    def __init__(self, keys: Tensor, values: Tensor, table: Tensor, lengths: Tensor):
        self.keys, self.values = keys, values
        self.table, self.lengths = table, lengths
        self.block_size = keys.shape[1]

    def gather(self, sequence: int) -> tuple[Tensor, Tensor]:
        length = int(self.lengths[sequence])
        used = math.ceil(length / self.block_size)
        blocks = self.table[sequence, :used].long()
        key = self.keys[blocks].flatten(0, 1)
        value = self.values[blocks].flatten(0, 1)
        return key, value


class Decoder:
    def __init__(self, cache: PagedCache):
        self.cache = cache

    def attend(self, query: Tensor, sequence: int) -> Tensor:
        key, value = self.cache.gather(sequence)
        heads, head_dim = query.shape
        grouped = query.view(key.shape[1], -1, head_dim)
        scores = torch.einsum("grd,tgd->grt", grouped, key) / math.sqrt(head_dim)
        return torch.einsum("grt,tgd->grd", scores.softmax(-1), value).reshape(heads, head_dim)


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    decoder = Decoder(PagedCache(key_pool, value_pool, block_table, lengths))
    return torch.stack([decoder.attend(query[b], b) for b in range(query.shape[0])])
