import math
import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Each query against its own `window` keys: a view of overlapping windows, no (length, length)."""
    assert window >= 1
    length, d = query.shape[-2:]
    w = min(window, length)
    padded_k = F.pad(key, (0, 0, w - 1, 0))
    padded_v = F.pad(value, (0, 0, w - 1, 0))
    k = padded_k.unfold(-2, w, 1)                     # (b, h, length, d, w); place w-1 is the query's own
    v = padded_v.unfold(-2, w, 1)
    scores = torch.einsum("bhtd,bhtdw->bhtw", query, k) / math.sqrt(d)
    i = torch.arange(length, device=query.device).unsqueeze(1)
    back = torch.arange(w - 1, -1, -1, device=query.device)
    scores = scores.masked_fill(i - back < 0, float("-inf"))
    return torch.einsum("bhtw,bhtdw->bhtd", scores.softmax(-1), v)
