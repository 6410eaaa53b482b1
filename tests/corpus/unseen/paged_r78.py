"""As a kernel would: block after block through the table, with a running softmax; nothing is gathered as a whole."""
import math
import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    batch, heads, d = query.shape
    block, kv = key_pool.shape[1:3]
    up = torch.promote_types(query.dtype, torch.float32)
    q = query.to(up).reshape(batch, kv, heads // kv, d) / math.sqrt(d)
    place = torch.arange(block, device=query.device)
    lengths = lengths.to(query.device)

    lse = q.new_full((batch, kv, heads // kv, 1), -math.inf)
    out = q.new_zeros(batch, kv, heads // kv, value_pool.shape[-1])
    for number, column in enumerate(block_table.long().unbind(1)):
        left = lengths - number * block                       # how many of this block's places count
        if not bool((left > 0).any()):
            break
        k = key_pool[column].to(up).permute(0, 2, 3, 1)       # (batch, kv, d, block)
        v = value_pool[column].to(up).transpose(1, 2)
        s = (q @ k).masked_fill((place >= left[:, None])[:, None, None], -math.inf)
        v = v.masked_fill((place >= left[:, None])[:, None, :, None], 0)      # what is left there may be anything
        new = torch.logaddexp(lse, s.logsumexp(-1, keepdim=True))
        # the first block has the first token, so `new` is finite from there on
        out = out * (lse - new).exp() + (s - new).exp() @ v
        lse = new
    return out.reshape(batch, heads, -1).to(query.dtype)
