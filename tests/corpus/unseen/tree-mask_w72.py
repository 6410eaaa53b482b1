from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    num_tokens = back.numel()
    mask = torch.eye(num_tokens, dtype=torch.bool, device=back.device)
    for i, step in enumerate(back.tolist()):
        # a token sees what its parent sees
        mask[i] |= mask[i - step]
    return mask


class TreeAttentionMetadata:
    def __init__(self, back: Tensor, kv_len: int) -> None:
        self.num_draft = back.numel()
        self.prefix_len = kv_len - self.num_draft
        self.bias = self._build_bias(tree_mask(back))

    def _build_bias(self, mask: Tensor) -> Tensor:
        bias = torch.zeros(mask.shape, dtype=torch.float32, device=mask.device)
        bias.masked_fill_(mask.logical_not(), float("-inf"))
        return F.pad(bias, (self.prefix_len, 0), value=0.0)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    meta = TreeAttentionMetadata(back, key.size(2))
    attn = torch.matmul(query, key.transpose(2, 3)) * query.size(-1) ** -0.5
    attn = attn + meta.bias.to(attn.dtype).to(attn.device)
    return torch.matmul(F.softmax(attn, dim=-1), value)
