from typing import Dict, Optional, Tuple

import torch
from torch import Tensor, nn

KV = Tuple[Tensor, Tensor]


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention of the last q.shape[2] positions to all of k."""
    scale = q.shape[-1] ** -0.5
    scores = torch.matmul(q, k.transpose(2, 3)) * scale
    past = k.shape[2] - q.shape[2]
    future = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).triu(past + 1)
    scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
    return torch.matmul(scores.softmax(-1), v)


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.attn_norm = nn.LayerNorm(d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.ffn_norm = nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(
            nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model)
        )

    def heads(self, x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], self.n_heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, kept: Optional[KV]) -> Tuple[Tensor, KV]:
        h = self.attn_norm(x)
        q, k, v = self.heads(self.q_proj(h)), self.heads(self.k_proj(h)), self.heads(self.v_proj(h))
        if kept is not None:
            k = torch.cat((kept[0], k), dim=2)
            v = torch.cat((kept[1], v), dim=2)
        context = attend(q, k, v).transpose(1, 2).reshape(x.shape)
        x = x + self.o_proj(context)
        x = x + self.ffn(self.ffn_norm(x))
        return x, (k, v)


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, d_model: int, n_heads: int, n_layers: int
    ) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(block_size, d_model)
        self.layers = nn.ModuleList([DecoderLayer(d_model, n_heads) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)

    def forward(self, tokens: Tensor, cache: Optional[Dict[int, KV]] = None):
        cache = {} if cache is None else cache
        offset = cache[0][0].shape[2] if cache else 0
        steps = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.embed(tokens) + self.positions(steps + offset)
        present = {}
        for i, layer in enumerate(self.layers):
            x, present[i] = layer(x, cache.get(i))
        x = self.norm(x)
        logits = torch.einsum("bte,ve->btv", x, self.embed.weight)
        return logits, present


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    made = []
    fed, cache = tokens, None
    for _ in range(count):
        logits, cache = model(fed, cache)
        fed = logits[:, -1].argmax(-1, keepdim=True)
        made.append(fed)
    return torch.cat([tokens, *made], dim=1)
