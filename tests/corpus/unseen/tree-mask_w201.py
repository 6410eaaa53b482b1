# attn-kata: tree-mask
from __future__ import annotations

import torch
from torch import Tensor


def _parent_matrix(back: Tensor) -> Tensor:
    """(n, n) bool, True at (i, parent of i); 没有父节点的行全是 False"""
    n = back.size(0)
    idx = torch.arange(n, device=back.device)
    return idx[None, :] == (idx - back)[:, None]


def _compose(a: Tensor, b: Tensor) -> Tensor:
    """Boolean matrix product: a 走完再走 b"""
    return (a.float() @ b.float()) > 0


def tree_mask(back: Tensor) -> Tensor:
    n = back.size(0)
    reach = _parent_matrix(back) | torch.eye(n, dtype=torch.bool, device=back.device)
    # 平方一次,能到达的深度翻倍:1, 2, 4, 8, ...
    rounds = n.bit_length() - 1
    for _ in range(rounds):
        reach = _compose(reach, reach)
    return reach


class _Softmax:
    """两段 (前缀 / 草稿) 共用一个最大值的 softmax"""

    def __init__(self, past: Tensor, draft: Tensor) -> None:
        peak = draft.amax(dim=-1, keepdim=True)
        if past.size(-1) > 0:
            peak = torch.maximum(peak, past.amax(dim=-1, keepdim=True))
        self.past = torch.exp(past - peak)
        self.draft = torch.exp(draft - peak)
        self.total = self.past.sum(-1, keepdim=True) + self.draft.sum(-1, keepdim=True)

    def average(self, v_past: Tensor, v_draft: Tensor) -> Tensor:
        return (self.past @ v_past + self.draft @ v_draft) / self.total


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()
    drafted, dk = query.shape[2:]
    prefix = key.size(2) - drafted

    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * dk**-0.5
    past, draft = scores[..., :prefix], scores[..., prefix:]
    draft = draft.masked_fill(~tree_mask(back), float("-inf"))
    soft = _Softmax(past, draft)
    return soft.average(value[:, :, :prefix], value[:, :, prefix:]).to(dtype)
