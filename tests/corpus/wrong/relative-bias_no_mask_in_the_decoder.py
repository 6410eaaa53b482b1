# wrong: relative-bias causal-missing line 28
import math

import torch
import torch.nn.functional as F
from torch import Tensor


def relative_bucket(rel_pos: Tensor, bidirectional: bool = True, n_buckets: int = 32, max_dist: int = 128) -> Tensor:
    if bidirectional:
        half = n_buckets // 2
        return relative_bucket(-rel_pos.abs(), False, half, max_dist) + half * rel_pos.gt(0).long()
    dist = torch.relu(-rel_pos)
    exact = n_buckets // 2
    log = (dist.double().clamp_min(exact) / exact).log2() / math.log2(max_dist / exact)
    far = (exact + (n_buckets - exact) * log).floor().long().clamp_max(n_buckets - 1)
    return torch.where(dist < exact, dist, far)


def relative_position_bias(weight: Tensor, q_len: int, k_len: int, bidirectional: bool = True, max_dist: int = 128) -> Tensor:
    place = torch.arange(k_len, device=weight.device)
    numbers = relative_bucket(place - place[-q_len:].unsqueeze(1), bidirectional, weight.shape[0], max_dist)
    return torch.einsum("qkn,nh->hqk", F.one_hot(numbers, weight.shape[0]).to(weight.dtype), weight)


def t5_attention(q: Tensor, k: Tensor, v: Tensor, weight: Tensor, bidirectional: bool = True, max_dist: int = 128) -> Tensor:
    logits = q @ k.mT
    logits = logits + relative_position_bias(weight, q.shape[-2], k.shape[-2], bidirectional, max_dist)
    logits = logits - logits.amax(-1, keepdim=True)
    share = logits.exp()
    return (share / share.sum(-1, keepdim=True)) @ v
