import torch
from torch import Tensor

_BANDS: dict[tuple, Tensor] = {}


def _band(length: int, window: int, device: torch.device) -> Tensor:
    """(length, length): True on the diagonal and the window - 1 entries to its left."""
    key = (length, device)
    if key not in _BANDS:
        i = torch.arange(length, device=device).unsqueeze(1)
        j = torch.arange(length, device=device).unsqueeze(0)
        _BANDS[key] = (j <= i) & (j > i - window)
    return _BANDS[key]


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    scores = torch.einsum("bhid,bhjd->bhij", query, key) / head_dim**0.5
    outside = ~_band(length, window, query.device)
    scores = scores.masked_fill(outside, torch.finfo(scores.dtype).min)
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), value)
