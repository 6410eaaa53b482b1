import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Unfolds each query's own `window` keys: scores are (batch, heads, length, window).

    Column w of them is position i - window + 1 + w, so the last column is the query itself.
    """
    *_, length, head_dim = query.shape
    window = min(window, length)
    before = window - 1
    padded_key = F.pad(key, (0, 0, before, 0))
    padded_value = F.pad(value, (0, 0, before, 0))
    near_keys = padded_key.unfold(2, window, 1)          # b h n d w
    near_values = padded_value.unfold(2, window, 1)      # b h n d w
    scores = torch.einsum("bhnd,bhndw->bhnw", query, near_keys) / head_dim**0.5
    where = torch.arange(length, device=query.device).unsqueeze(1) - before + torch.arange(window, device=query.device)
    scores = scores.masked_fill(where < 0, float("-inf"))
    return torch.einsum("bhnw,bhndw->bhnd", scores.softmax(-1), near_values)
