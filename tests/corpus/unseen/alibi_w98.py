# BLOOM-ish version
import math
import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    def pow2(n: int) -> Tensor:
        return 2.0 ** (-(8.0 / n) * torch.arange(1, n + 1, dtype=torch.float64))

    n = 2 ** math.floor(math.log2(heads))
    main, more = pow2(n), pow2(2 * n)[0::2]
    return torch.cat([main, more[: heads - n]])


def build_alibi_tensor(heads: int, key_length: int) -> Tensor:
    rel = torch.arange(1 - key_length, 1)
    return slopes(heads)[:, None, None] * rel[None, None, :]


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    alibi = build_alibi_tensor(heads, key_length)
    future = torch.ones(query_length, key_length, dtype=torch.bool).triu(key_length - query_length + 1)
    return alibi.expand(heads, query_length, key_length).masked_fill(future, -torch.inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    b, h, q_len, d = query.shape
    k_len = key.shape[-2]
    alibi = bias(h, q_len, k_len).to(device=query.device, dtype=query.dtype)
    scores = torch.baddbmm(
        alibi.expand(b, -1, -1, -1).reshape(b * h, q_len, k_len),
        query.reshape(b * h, q_len, d),
        key.reshape(b * h, k_len, d).transpose(1, 2),
        beta=1.0,
        alpha=1 / math.sqrt(d),
    )
    probs = torch.softmax(scores, dim=-1)
    return torch.bmm(probs, value.reshape(b * h, k_len, -1)).view(b, h, q_len, -1)
