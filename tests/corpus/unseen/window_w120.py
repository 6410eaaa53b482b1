import math
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class LocalCausal:
    size: int

    def visible(self, length, device):
        pos = torch.arange(length, device=device)
        age = pos.unsqueeze(1) - pos.unsqueeze(0)
        return (age >= 0) & (age <= self.size)


def window_attention(query, key, value, window):
    rule = LocalCausal(window)
    qk = torch.matmul(query, key.mT).div(math.sqrt(query.size(-1)))
    qk = torch.where(rule.visible(qk.size(-1), qk.device), qk, torch.finfo(qk.dtype).min)
    return torch.matmul(torch.softmax(qk, dim=-1), value)
