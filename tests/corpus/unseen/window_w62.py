from typing import Optional

import torch


class WindowMask:
    def __init__(self, window: int):
        self.window = window
        self._mask: Optional[torch.Tensor] = None

    def get(self, length: int, device: torch.device) -> torch.Tensor:
        if self._mask is None or self._mask.shape[0] < length or self._mask.device != device:
            i = torch.arange(length, device=device)
            back = i[:, None] - i[None, :]
            self._mask = (back < 0) | (back >= self.window)
        return self._mask[:length, :length]


_MASK: Optional[WindowMask] = None


def _mask_for(window: int) -> WindowMask:
    global _MASK
    if _MASK is None:
        _MASK = WindowMask(window)
    return _MASK


def window_attention(query, key, value, window):
    hidden = _mask_for(window).get(query.shape[-2], query.device)
    scale = query.shape[-1] ** -0.5
    s = torch.einsum("...id,...jd->...ij", query * scale, key)
    s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
    a = torch.softmax(s.to(torch.promote_types(s.dtype, torch.float32)), -1).to(value.dtype)
    return torch.einsum("...ij,...jd->...id", a, value)
