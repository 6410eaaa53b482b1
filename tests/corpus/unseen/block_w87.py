import math
import torch
from torch import nn, Tensor


class NewGELU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class CausalAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.Wqkv = nn.Linear(dim, 3 * dim)
        self.Wo = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        N, L, E = x.shape
        qkv = self.Wqkv(x).view(N, L, 3, self.heads, E // self.heads)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        logits = q.matmul(k.mT).div(math.sqrt(E // self.heads))
        mask = torch.triu(torch.ones(L, L, device=x.device, dtype=torch.bool), diagonal=1)
        probs = logits.masked_fill(mask, -torch.inf).softmax(dim=-1)
        return self.Wo(probs.matmul(v).transpose(1, 2).reshape(N, L, E))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.ln1 = nn.LayerNorm(hidden_dim)
        self.attn = CausalAttention(hidden_dim, num_heads)
        self.ln2 = nn.LayerNorm(hidden_dim)
        self.mlp = nn.ModuleDict(dict(
            c_fc=nn.Linear(hidden_dim, 4 * hidden_dim),
            c_proj=nn.Linear(4 * hidden_dim, hidden_dim),
            act=NewGELU(),
        ))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln1(x))
        m = self.mlp
        return x + m["c_proj"](m["act"](m["c_fc"](self.ln2(x))))
