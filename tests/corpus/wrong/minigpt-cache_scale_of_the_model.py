# wrong: minigpt-cache scale-by-hidden-dim line 34
from typing import List, NamedTuple, Optional

import torch
from torch import Tensor, nn


class KV(NamedTuple):
    k: Tensor
    v: Tensor

    def plus(self, other: "KV") -> "KV":
        return KV(torch.cat([self.k, other.k], dim=2), torch.cat([self.v, other.v], dim=2))


class State(NamedTuple):
    position: int
    kvs: List[Optional[KV]]


class SelfAttention(nn.Module):
    def __init__(self, dim: int, n_heads: int):
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(dim, dim)
        self.key_value = nn.Linear(dim, 2 * dim)
        self.output = nn.Linear(dim, dim)

    def forward(self, x: Tensor, kv: Optional[KV]):
        b, t, dim = x.shape
        q = self.query(x).view(b, t, self.n_heads, dim // self.n_heads).transpose(1, 2)
        kx, vx = self.key_value(x).view(b, t, 2, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        kv = KV(kx, vx) if kv is None else kv.plus(KV(kx, vx))
        att = q @ kv.k.mT * dim ** -0.5
        total = kv.k.size(2)
        allowed = torch.ones(total, total, device=x.device).tril()[-t:]
        att = att.masked_fill(allowed == 0, -torch.inf)
        y = att.softmax(-1) @ kv.v
        return self.output(y.transpose(1, 2).reshape(b, t, dim)), kv


class GPTBlock(nn.Module):
    def __init__(self, dim: int, n_heads: int):
        super().__init__()
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = SelfAttention(dim, n_heads)
        self.mlp_norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor, kv: Optional[KV]):
        y, kv = self.attention(self.attention_norm(x), kv)
        x = x + y
        return x + self.mlp(self.mlp_norm(x)), kv


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, dim, n_heads, n_layers):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, dim)
        self.positions = nn.Parameter(torch.randn(block_size, dim) * 0.02)
        self.blocks = nn.ModuleList([GPTBlock(dim, n_heads) for _ in range(n_layers)])
        self.final_norm = nn.LayerNorm(dim)

    def forward(self, idx: Tensor, state: Optional[State] = None):
        if state is None:
            state = State(0, [None] * len(self.blocks))
        t = idx.size(1)
        x = self.tokens(idx) + self.positions[state.position : state.position + t]
        kvs = []
        for block, kv in zip(self.blocks, state.kvs):
            x, kv = block(x, kv)
            kvs.append(kv)
        logits = self.final_norm(x) @ self.tokens.weight.T
        return logits, State(state.position + t, kvs)


@torch.no_grad()
def generate(model, idx, max_new_tokens):
    model.eval()
    logits, state = model(idx)
    for left in reversed(range(max_new_tokens)):
        token = logits[:, -1, :].softmax(-1).argmax(-1, keepdim=True)
        idx = torch.cat((idx, token), dim=-1)
        if left:
            logits, state = model(token, state)
    return idx
