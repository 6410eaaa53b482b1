from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def extract_patches(inputs: Tensor, size: int) -> Tensor:
    """Causal padding, then patches of `size` steps, as Conv1D(padding="causal") sees them."""
    padded = F.pad(inputs, pad=(0, 0, size - 1, 0))
    return padded.unfold(dimension=2, size=size, step=1)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    depth = query.shape[-1]
    key_patches = extract_patches(key, window)
    value_patches = extract_patches(value, window)

    # n: heads, t: steps, d: depth, w: place in the patch
    logits = torch.einsum("bntd,bntdw->bntw", query, key_patches)
    logits = logits / depth**0.5
    probs = torch.softmax(logits, dim=-1)
    return torch.einsum("bntw,bntdw->bntd", probs, value_patches)
