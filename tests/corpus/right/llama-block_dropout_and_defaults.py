# right: llama-block
import torch
from torch import Tensor, nn


class SwiGLU(nn.Module):
    def __init__(self, d: int, d_ff: int):
        super().__init__()
        self.w12 = nn.Linear(d, 2 * d_ff)
        self.w3 = nn.Linear(d_ff, d)

    def forward(self, x: Tensor) -> Tensor:
        gate, value = torch.tensor_split(self.w12(x), 2, dim=-1)
        return self.w3(nn.functional.silu(gate) * value)


class DecoderBlock(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, num_kv_heads: int, ff_dim: int, dropout: float = 0.0, eps: float = 1e-5):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = embed_dim // num_heads
        self.eps = eps
        self.norm_attention = nn.Parameter(torch.ones(embed_dim))
        self.norm_mlp = nn.Parameter(torch.ones(embed_dim))
        self.q = nn.Linear(embed_dim, embed_dim)
        self.k = nn.Linear(embed_dim, num_kv_heads * self.head_dim)
        self.v = nn.Linear(embed_dim, num_kv_heads * self.head_dim)
        self.o = nn.Linear(embed_dim, embed_dim)
        self.ffn = SwiGLU(embed_dim, ff_dim)
        self.drop = nn.Dropout(dropout)

    def normed(self, x: Tensor, weight: Tensor) -> Tensor:
        return x.mul((x.square().mean(-1, True) + self.eps).rsqrt()).mul(weight)

    def heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], -1, self.head_dim).transpose(1, 2)

    @staticmethod
    def spin(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        out = torch.empty_like(x)
        half = x.shape[-1] // 2
        out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
        out[..., half:] = x[..., half:] * cos + x[..., :half] * sin
        return out

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = self.normed(x, self.norm_attention)
        q, k, v = self.heads(self.q(h)), self.heads(self.k(h)), self.heads(self.v(h))
        q, k = self.spin(q, cos, sin), self.spin(k, cos, sin)
        times = self.num_heads // self.num_kv_heads
        k = torch.repeat_interleave(k, times, 1)
        v = torch.repeat_interleave(v, times, 1)
        scores = q @ k.mT / self.head_dim**0.5
        scores = scores + torch.full_like(scores[0, 0], float("-inf")).triu(1)
        y = torch.softmax(scores, -1) @ v
        x = x + self.drop(self.o(y.transpose(1, 2).flatten(2)))
        return x + self.drop(self.ffn(self.normed(x, self.norm_mlp)))
