# wrong: llama-block swiglu-activation-misplaced line 45
import torch
import torch.nn.functional as F
from torch import nn


class LlamaLayer(nn.Module):
    """Halves as real and imaginary parts."""

    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, hidden: int):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.attn_norm = nn.RMSNorm(dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(dim, eps=1e-5)
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.gate_proj = nn.Linear(dim, hidden, bias=False)
        self.up_proj = nn.Linear(dim, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, dim, bias=False)

    def rope(self, x, turn):
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        real, imaginary = wide.chunk(2, dim=-1)
        z = torch.complex(real, imaginary) * turn
        return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)

    def forward(self, x, cos, sin):
        B, T, C = x.shape
        half = x.dtype in (torch.float16, torch.bfloat16)
        turn = torch.complex(cos.float(), sin.float()) if half else torch.complex(cos, sin)
        h = self.attn_norm(x)
        q = self.rope(self.wq(h).view(B, T, self.n_heads, -1).transpose(1, 2), turn)
        k = self.rope(self.wk(h).view(B, T, self.n_kv_heads, -1).transpose(1, 2), turn)
        v = self.wv(h).view(B, T, self.n_kv_heads, -1).transpose(1, 2)
        share = [i * self.n_kv_heads // self.n_heads for i in range(self.n_heads)]
        k, v = k[:, share], v[:, share]
        att = (q @ k.transpose(-2, -1)) * (self.head_dim**-0.5)
        att = att.masked_fill(torch.tril(torch.ones(T, T, device=x.device)) == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        x = x + self.wo(y.transpose(1, 2).reshape(B, T, C))
        h = self.ffn_norm(x)
        h = self.gate_proj(h) * self.up_proj(h)
        return x + self.down_proj(F.silu(h))
