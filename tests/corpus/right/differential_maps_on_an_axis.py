# right: differential
import math

import torch
from torch import Tensor, nn


def normal(*shape: int, std: float) -> nn.Parameter:
    return nn.Parameter(torch.empty(shape).normal_(0.0, std))


class DifferentialAttention(nn.Module):
    # letters: h head, m which of the two maps, r query or key, d head_dim, w value width, e hidden
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        std = 1 / math.sqrt(hidden_dim)
        d = hidden_dim // num_heads // 2
        self.maps = normal(2, num_heads, 2, hidden_dim, d, std=std)  # m h r e d
        self.values = normal(num_heads, 2 * d, hidden_dim, std=std)  # h w e
        self.mix = normal(num_heads, 2 * d, hidden_dim, std=std)  # h w e, back to e
        self.lambdas = nn.ParameterList([normal(d, std=0.1) for _ in range(4)])  # q1 k1 q2 k2
        self.subln_minus_one = nn.Parameter(torch.zeros(2 * d))
        self.depth = depth

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        init = 0.8 - 0.6 * math.exp(-0.3 * self.depth)
        q1, k1, q2, k2 = self.lambdas
        lam = torch.exp(q1 @ k1) - torch.exp(q2 @ k2) + init
        both = torch.einsum("bte,mhred->rmbhtd", x, self.maps)
        query, key = both[0], both[1]
        score = query @ key.mT / math.sqrt(key.shape[-1])
        ahead = torch.ones(n, n, device=x.device).triu(1).bool()
        prob = torch.softmax(score.masked_fill(ahead, float("-inf")), -1)
        value = torch.einsum("bte,hwe->bhtw", x, self.values)
        head = prob[0] @ value - lam * (prob[1] @ value)
        head = head / torch.sqrt(head.pow(2).mean(-1, keepdim=True) + 1e-5)
        head = head * (1 + self.subln_minus_one) * (1 - init)
        return torch.einsum("bhtw,hwe->bte", head, self.mix)
