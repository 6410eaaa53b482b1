from typing import Optional

import torch
from torch import nn


def make_sliding_window_causal_mask(
    q_len: int, sliding_window: Optional[int], dtype: torch.dtype, device: torch.device
) -> Optional[torch.Tensor]:
    if sliding_window is None or sliding_window >= q_len:
        return None
    cache_position = torch.arange(q_len, device=device)
    kv_position = cache_position[None, :]
    visible = kv_position <= cache_position[:, None]
    visible &= kv_position > cache_position[:, None] - sliding_window
    min_dtype = torch.finfo(dtype).min
    mask = torch.full((q_len, q_len), min_dtype, dtype=dtype, device=device)
    mask = mask.masked_fill(visible, 0.0)
    return mask[None, None, :, :]


def eager_attention_forward(query, key, value, attention_mask, scaling):
    attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling
    if attention_mask is not None:
        attn_weights = attn_weights + attention_mask
    attn_weights = nn.functional.softmax(attn_weights, dim=-1)
    return torch.matmul(attn_weights, value)


def window_attention(query, key, value, window):
    attention_mask = make_sliding_window_causal_mask(query.shape[-2], window, query.dtype, query.device)
    return eager_attention_forward(query, key, value, attention_mask, scaling=query.shape[-1] ** -0.5)
