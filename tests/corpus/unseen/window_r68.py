import torch
from torch import Tensor
import torch.nn.functional as F


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Pad in front, unfold windows of keys, and each query has exactly `window` candidates."""
    b, h, t, d = query.shape
    w = min(window, t)
    pad = (0, 0, w - 1, 0)
    ks = F.pad(key, pad).unfold(2, w, 1)        # (b, h, t, d, w)
    vs = F.pad(value, pad).unfold(2, w, 1)      # (b, h, t, d, w)
    scores = torch.einsum("bhtd,bhtdw->bhtw", query, ks) / d**0.5
    # candidate c of query i is key i - (w - 1) + c, which has to exist
    i = torch.arange(t, device=query.device).unsqueeze(1)
    c = torch.arange(w, device=query.device)
    scores = scores.masked_fill(i - (w - 1) + c < 0, -torch.inf)
    return torch.einsum("bhtw,bhtdw->bhtd", scores.softmax(-1), vs)
