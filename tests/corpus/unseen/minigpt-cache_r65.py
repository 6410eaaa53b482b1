# All layers live in stacked tensors with the layer index in front. The cache is one tensor
# [layers, 2, B, H, S, D]; a call returns a longer copy of it.
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _init(*shape, std=0.02):
    return nn.Parameter(torch.empty(*shape).normal_(std=std))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        N, E = num_layers, hidden_dim
        self.block_size = block_size
        self.N, self.E, self.H, self.D = N, E, num_heads, hidden_dim // num_heads
        self.tok, self.pos = _init(vocab_size, E), _init(block_size, E)
        self.Wqkv, self.bqkv = _init(N, 3 * E, E), nn.Parameter(torch.zeros(N, 3 * E))
        self.Wo, self.bo = _init(N, E, E), nn.Parameter(torch.zeros(N, E))
        self.W1, self.b1 = _init(N, 4 * E, E), nn.Parameter(torch.zeros(N, 4 * E))
        self.W2, self.b2 = _init(N, E, 4 * E), nn.Parameter(torch.zeros(N, E))
        # norms: 2 per layer and the last one
        self.gain = nn.Parameter(torch.ones(2 * N + 1, E))
        self.shift = nn.Parameter(torch.zeros(2 * N + 1, E))

    def _norm(self, x, i):
        return F.layer_norm(x, (self.E,), self.gain[i], self.shift[i], 1e-5)

    def _attend(self, x, n, past):
        B, L, _ = x.shape
        qkv = F.linear(x, self.Wqkv[n], self.bqkv[n]).view(B, L, 3, self.H, self.D)
        q, kv = qkv[:, :, 0].transpose(1, 2), qkv[:, :, 1:].permute(2, 0, 3, 1, 4)
        if past is not None:
            kv = torch.cat((past[n], kv), dim=3)
        S = kv.size(3)
        s = torch.einsum("bhid,bhjd->bhij", q, kv[0]) / math.sqrt(self.D)
        i = torch.arange(S - L, S, device=x.device).view(L, 1)
        j = torch.arange(S, device=x.device).view(1, S)
        p = s.masked_fill(i < j, float("-inf")).softmax(-1)
        y = torch.einsum("bhij,bhjd->bihd", p, kv[1]).reshape(B, L, self.E)
        return F.linear(y, self.Wo[n], self.bo[n]), kv

    def forward(self, tokens: Tensor, cache=None):
        L = tokens.size(1)
        past = 0 if cache is None else cache.size(4)
        x = F.embedding(tokens, self.tok) + self.pos[past : past + L]
        kvs = []
        for n in range(self.N):
            y, kv = self._attend(self._norm(x, 2 * n), n, cache)
            kvs.append(kv)
            x = x + y
            h = F.gelu(F.linear(self._norm(x, 2 * n + 1), self.W1[n], self.b1[n]))
            x = x + F.linear(h, self.W2[n], self.b2[n])
        logits = self._norm(x, 2 * self.N) @ self.tok.t()
        return logits, torch.stack(kvs)


def generate(model, tokens, count):
    was_training = model.training
    model.eval()
    B, L = tokens.shape
    text = torch.empty(B, L + count, dtype=tokens.dtype, device=tokens.device)
    text[:, :L] = tokens
    cache, fed = None, 0
    with torch.no_grad():
        for end in range(L, L + count):
            logits, cache = model(text[:, fed:end], cache)
            fed = end
            text[:, end] = logits[:, -1].max(dim=-1).indices
    model.train(was_training)
    return text
