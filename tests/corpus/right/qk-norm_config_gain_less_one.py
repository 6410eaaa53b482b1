# right: qk-norm
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class ModelArgs:
    hidden_dim: int = 64
    num_heads: int = 4
    norm_eps: float = 1e-6


class Norm(nn.Module):
    def __init__(self, dim: int, eps: float):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.zeros(dim))

    def extra_repr(self) -> str:
        return f"{tuple(self.scale.shape)}, eps={self.eps}"

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        ms = torch.einsum("...d,...d->...", wide, wide).unsqueeze(-1) / x.shape[-1]
        return (wide * (ms + self.eps).rsqrt()).to(x.dtype) * (1 + self.scale)


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_heads = args.num_heads
        head_dim = args.hidden_dim // args.num_heads
        self.scale = 1.0 / head_dim**0.5
        self.wqkv = nn.Linear(args.hidden_dim, 3 * args.hidden_dim, bias=False)
        self.wo = nn.Linear(args.hidden_dim, args.hidden_dim, bias=False)
        self.query_norm = Norm(head_dim, args.norm_eps)
        self.key_norm = Norm(head_dim, args.norm_eps)

    def forward(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        q, k, v = [part.view(b, t, self.n_heads, -1) for part in self.wqkv(x).chunk(3, dim=-1)]
        q, k, v = self.query_norm(q).transpose(1, 2), self.key_norm(k).transpose(1, 2), v.transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)).mul(self.scale)
        index = torch.arange(t, device=x.device)
        scores = scores.masked_fill(index.view(1, t) > index.view(t, 1), torch.finfo(scores.dtype).min)
        y = torch.matmul(scores.softmax(dim=-1), v)
        return self.wo(y.transpose(1, 2).contiguous().view(b, t, -1))
