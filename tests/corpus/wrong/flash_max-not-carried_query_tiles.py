# wrong: flash max-not-carried line 20
import torch
from torch import Tensor


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    n, d = query.shape[-2:]
    outputs = []
    for i in range(0, n, block_size):
        q = query[:, :, i:i + block_size] * d**-0.5
        o = torch.zeros_like(q)
        l = torch.zeros_like(q[..., 0])
        m = torch.full_like(l, float("-inf"))
        for j in range(0, n, block_size):
            if causal and j > i:
                break
            s = q @ key[:, :, j:j + block_size].transpose(2, 3)
            if causal and i == j:
                s = s + torch.full_like(s[0, 0], float("-inf")).triu(1)
            new = s.amax(dim=-1)
            a = torch.exp(m - new)
            p = torch.exp(s - new.unsqueeze(-1))
            l = a * l + p.sum(dim=-1)
            o = a.unsqueeze(-1) * o + p @ value[:, :, j:j + block_size]
            m = new
        outputs.append(o / l.unsqueeze(-1))
    return torch.cat(outputs, dim=2)
