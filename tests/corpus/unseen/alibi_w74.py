# attn-kata: alibi
# slopes as in build_alibi_tensor of BLOOM
import math

import torch


def slopes(heads: int) -> torch.Tensor:
    closest = 2 ** math.floor(math.log2(heads))
    base = torch.tensor(2 ** (-(2 ** -(math.log2(closest) - 3))), dtype=torch.float32)
    powers = torch.arange(1, 1 + closest, dtype=torch.int32)
    out = torch.pow(base, powers)
    if closest != heads:
        extra_base = torch.tensor(2 ** (-(2 ** -(math.log2(2 * closest) - 3))), dtype=torch.float32)
        num_remaining = min(closest, heads - closest)
        extra_powers = torch.arange(1, 1 + num_remaining, dtype=torch.int32)
        out = torch.cat([out, torch.pow(extra_base, extra_powers)], dim=0)
    return out


class AlibiMask:
    """Holds nothing between calls; only groups what belongs together."""

    def __init__(self, heads: int, q_len: int, k_len: int):
        self.heads, self.q_len, self.k_len = heads, q_len, k_len

    @property
    def relative(self) -> torch.Tensor:
        rows = torch.arange(self.q_len).add_(self.k_len - self.q_len)
        return rows.view(-1, 1) - torch.arange(self.k_len).view(1, -1)

    def tensor(self) -> torch.Tensor:
        rel = self.relative
        out = torch.empty(self.heads, self.q_len, self.k_len)
        for h, m in enumerate(slopes(self.heads).tolist()):
            out[h] = rel * -m
        out[:, rel < 0] = float("-inf")
        return out


def bias(heads: int, query_length: int, key_length: int) -> torch.Tensor:
    return AlibiMask(heads, query_length, key_length).tensor()


def attention(query, key, value):
    alibi = bias(query.shape[1], query.shape[2], key.shape[2])
    scores = torch.einsum("bhid,bhjd->bhij", query, key).div(math.sqrt(query.shape[-1]))
    probs = torch.softmax(scores + alibi.to(dtype=scores.dtype, device=scores.device), dim=-1)
    return torch.einsum("bhij,bhjd->bhid", probs, value)
