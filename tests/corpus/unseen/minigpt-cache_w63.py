from dataclasses import dataclass
from typing import NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerPast(NamedTuple):
    key: torch.Tensor
    value: torch.Tensor


@dataclass(frozen=True)
class PastKeyValues:
    layers: Tuple[LayerPast, ...]

    def get_seq_length(self) -> int:
        return self.layers[0].key.size(-2)


class GPTBlock(nn.Module):
    def __init__(self, n_embd: int, n_head: int):
        super().__init__()
        self.n_head, self.head_dim = n_head, n_embd // n_head
        self.ln_1 = nn.LayerNorm(n_embd, eps=1e-5)
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(n_embd, n_embd) for _ in range(3))
        self.out_proj = nn.Linear(n_embd, n_embd)
        self.ln_2 = nn.LayerNorm(n_embd, eps=1e-5)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def _shape(self, t: torch.Tensor) -> torch.Tensor:
        return t.view(t.size(0), t.size(1), self.n_head, self.head_dim).transpose(1, 2)

    def forward(self, hidden: torch.Tensor, past: Optional[LayerPast]):
        normed = self.ln_1(hidden)
        query, key, value = (self._shape(p(normed)) for p in (self.q_proj, self.k_proj, self.v_proj))
        if past is not None:
            key = torch.cat([past.key, key], dim=-2)
            value = torch.cat([past.value, value], dim=-2)
        q_len, kv_len = query.size(-2), key.size(-2)
        scores = torch.matmul(query, key.transpose(-1, -2)) * self.head_dim ** -0.5
        allowed = torch.tril(torch.ones(q_len, kv_len, device=hidden.device), diagonal=kv_len - q_len).bool()
        scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
        context = torch.matmul(F.softmax(scores, dim=-1), value)
        hidden = hidden + self.out_proj(context.transpose(1, 2).flatten(2))
        hidden = hidden + self.mlp(self.ln_2(hidden))
        return hidden, LayerPast(key, value)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList([GPTBlock(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens, cache: Optional[PastKeyValues] = None):
        past_length = 0 if cache is None else cache.get_seq_length()
        position_ids = torch.arange(past_length, past_length + tokens.size(1), device=tokens.device)
        hidden = self.wte(tokens) + self.wpe(position_ids)
        presents = []
        for i, block in enumerate(self.h):
            hidden, present = block(hidden, cache.layers[i] if cache is not None else None)
            presents.append(present)
        return self.lm_head(self.ln_f(hidden)), PastKeyValues(tuple(presents))


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    # prefill
    _, cache = model(tokens, None)
    # decode
    for _ in range(count):
        logits, cache = model(tokens[:, -1:], cache)
        next_token = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, next_token], dim=-1)
    return tokens
