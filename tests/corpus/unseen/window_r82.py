import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Only length x window scores: keys are padded on the left and unfolded into windows."""
    *_, length, width = query.shape
    size = min(window, length)
    pad = (0, 0, size - 1, 0)
    keys = F.pad(key, pad).unfold(2, size, 1)          # (b, h, length, width, size)
    values = F.pad(value, pad).unfold(2, size, 1)
    scores = torch.einsum("bhld,bhldw->bhlw", query, keys) * width**-0.5
    # slot w of query l is position l - (size - 1) + w; what lies before 0 is padding
    position = torch.arange(length, device=query.device)[:, None] - (size - 1)
    position = position + torch.arange(size, device=query.device)
    scores = scores.masked_fill(position < 0, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhlw,bhldw->bhld", weights, values)
