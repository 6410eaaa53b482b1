# right: split-k
import torch
import torch.nn.functional as F


def _fold(out, lse, block_out, block_lse):
    """One step of a ring: what there is, and what the next block brings."""
    if out is None:
        return block_out, block_lse
    new_lse = torch.logaddexp(lse, block_lse)
    safe = new_lse.masked_fill(new_lse == float("-inf"), 0)
    out = torch.exp(lse - safe).unsqueeze(-1) * out + torch.exp(block_lse - safe).unsqueeze(-1) * block_out
    return out, new_lse


def chunk_attention(query, key, value, seen):
    logits = (query * query.shape[-1] ** -0.5) @ key.transpose(2, 3)
    logits = logits.masked_fill(seen[:, None, None] == 0, float("-inf"))
    block_lse = logits.logsumexp(dim=3)
    nothing = torch.isneginf(block_lse)
    probs = torch.exp(logits - block_lse.masked_fill(nothing, 0).unsqueeze(3))
    return torch.matmul(probs, value), block_lse


def merge(outputs, lses):
    out, lse = None, None
    for block_out, block_lse in zip(outputs, lses):
        out, lse = _fold(out, lse, block_out, block_lse)
    return out, lse


def split_k_attention(query, key, value, lengths, splits):
    size = max(1, -(key.size(2) // -splits))
    out = lse = None
    offset = 0
    for k, v in zip(key.split(size, 2), value.split(size, 2)):
        here = torch.arange(offset, offset + k.size(2), device=key.device)
        out, lse = _fold(out, lse, *chunk_attention(query, k, v, here < lengths.unsqueeze(1)))
        offset += k.size(2)
    return out
