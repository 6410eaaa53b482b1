# right: block
from dataclasses import dataclass
import torch, torch.nn as nn
@dataclass
class ModelArgs:
    dim: int = 512
    n_layers: int = 8
    n_heads: int = 8
    hidden_act: str = "gelu"
    norm_eps: float = 1e-5
    max_seq_len: int = 2048
    dropout: float = 0.0
    mlp_ratio: float = 4.0
class Norm(nn.Module):
    def __init__(s, args): super().__init__(); s.eps = args.norm_eps; s.scale = nn.Parameter(torch.ones(args.dim)); s.shift = nn.Parameter(torch.zeros(args.dim))
    def forward(s, x):
        x32 = x.float()
        m = x32.mean(-1, keepdim=True); v = (x32 * x32).mean(-1, keepdim=True) - m * m
        return ((x32 - m) * torch.rsqrt(v + s.eps)).type_as(x) * s.scale + s.shift
class TransformerBlock(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n, h = args.n_heads, int(args.mlp_ratio * args.dim)
        self.wqkv = nn.Linear(args.dim, 3 * args.dim, bias=False); self.wo = nn.Linear(args.dim, args.dim, bias=False)
        self.w1, self.w2 = nn.Linear(args.dim, h), nn.Linear(h, args.dim)
        self.attention_norm, self.ffn_norm = Norm(args), Norm(args)
        self.act = {"gelu": nn.GELU(), "relu": nn.ReLU()}[args.hidden_act]
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.wqkv(self.attention_norm(x)).view(B, T, 3, self.n, -1).permute(2, 0, 3, 1, 4)
        s = torch.einsum("bhid,bhjd->bhij", q, k) / (C // self.n) ** .5
        s = torch.tril(torch.ones(T, T, device=x.device)).log().to(s.dtype) + s
        x = x + self.wo(torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v).reshape(B, T, C))
        return x + self.w2(self.act(self.w1(self.ffn_norm(x))))
