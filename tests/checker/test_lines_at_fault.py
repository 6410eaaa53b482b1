"""The line that is named is where a mistake is mended, wherever its number shows first."""

from __future__ import annotations

import textwrap

import pytest
from attn_kata.kata.catalogue import find

HEAD = """\
    import math
    import torch
    import torch.nn.functional as F
    from torch import nn


"""
FAULTS = {
    "lengths that are read though there is a cache": (
        "cross-cache",
        "memory-read-again",
        """\
        class CachedCrossAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h = num_heads
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
                )

            def split(self, t):
                return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

            def hidden(self, lengths, size):
                return torch.arange(size, device=lengths.device) >= lengths[:, None, None, None]

            def forward(self, x, memory, memory_lengths, cache=None):
                if cache is None:
                    cache = self.split(self.k(memory)), self.split(self.v(memory))
                key, value = cache
                scores = self.split(self.q(x)) @ key.mT / math.sqrt(key.shape[-1])
                hidden = self.hidden(memory_lengths, key.shape[2])  # here
                scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
                merged = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
                return self.o(merged), cache
        """,
    ),
    "queries folded into the length and taken apart as heads": (
        "mqa",
        "heads-view-without-transpose",
        """\
        class MultiQueryAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h, self.d = num_heads, hidden_dim // num_heads
                self.q, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(2))
                self.k, self.v = (nn.Linear(hidden_dim, self.d) for _ in range(2))

            def forward(self, x, attention_mask=None):
                b, t, e = x.shape
                q, k, v = self.q(x), self.k(x), self.v(x)
                folded = q.reshape(b, t * self.h, self.d)
                scores = torch.bmm(folded, k.transpose(1, 2)) * self.d**-0.5
                scores = scores.view(b, self.h, t, t)  # here
                if attention_mask is not None:
                    scores = scores.masked_fill(attention_mask == 0, float("-inf"))
                heads = scores.softmax(-1) @ v.unsqueeze(1)
                return self.o(heads.transpose(1, 2).reshape(b, t, e))
        """,
    ),
    "heads that are stacked behind their features": (
        "mqa",
        "heads-merge-wrong-axes",
        """\
        class MultiQueryAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.d = hidden_dim // num_heads
                self.q, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(2))
                self.k, self.v = (nn.Linear(hidden_dim, self.d) for _ in range(2))

            def forward(self, x, attention_mask=None):
                k, v = self.k(x), self.v(x)
                heads = []
                for n, q in enumerate(self.q(x).split(self.d, -1)):
                    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d)
                    if attention_mask is not None:
                        own = attention_mask[:, min(n, attention_mask.shape[1] - 1)]
                        scores = scores.masked_fill(own == 0, float("-inf"))
                    heads.append(scores.softmax(-1) @ v)
                return self.o(torch.stack(heads, -1).flatten(-2))  # here
        """,
    ),
    "a mask that a triangle takes the place of": (
        "sdpa",
        "mask-or-causal",
        """\
        def triangle(query, key):
            n, m = query.shape[-2], key.shape[-2]
            rows = torch.arange(n, device=query.device) + (m - n)
            return rows[:, None] >= torch.arange(m, device=query.device)


        def attention(query, key, value, mask=None, causal=False):
            if causal:
                mask = triangle(query, key)  # here
            scores = query @ key.mT * query.shape[-1] ** -0.5
            if mask is not None:
                scores = scores.masked_fill(mask == 0, float("-inf"))
            return scores.softmax(-1) @ value
        """,
    ),
    "a scale from the constructor": (
        "v1",
        "scale-by-length",
        """\
        class SelfAttentionV1(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)

            def forward(self, x):
                q, k, v = self.q(x), self.k(x), self.v(x)
                root = x.shape[1] ** 0.5  # here
                scores = q @ k.transpose(-2, -1) / root
                return scores.softmax(-1) @ v
        """,
    ),
    "a submodule that was given the wrong scale": (
        "mha",
        "scale-by-hidden-dim",
        """\
        class Scores(nn.Module):
            def __init__(self, scale):
                super().__init__()
                self.scale = scale

            def forward(self, q, k):
                return q @ k.transpose(-2, -1) / self.scale


        class MultiHeadAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads, dropout=0.1):
                super().__init__()
                self.h = num_heads
                self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
                self.o = nn.Linear(hidden_dim, hidden_dim)
                self.scores = Scores(math.sqrt(hidden_dim))  # here

            def forward(self, x, attention_mask=None):
                q, k, v = (
                    t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)
                )
                s = self.scores(q, k)
                if attention_mask is not None:
                    s = s.masked_fill(attention_mask == 0, float("-inf"))
                return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        """,
    ),
    "a softmax made in the constructor": (
        "v1",
        "softmax-wrong-axis",
        """\
        class SelfAttentionV1(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)
                self.normalize = nn.Softmax(dim=1)  # here

            def forward(self, x):
                scores = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
                return self.normalize(scores) @ self.v(x)
        """,
    ),
    "a causal mask drawn in a helper": (
        "causal",
        "causal-sees-next",
        """\
        def visible(length, device):
            steps = torch.arange(length, device=device)
            return steps[None, :] <= steps[:, None] + 1  # here


        class CausalSelfAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads, block_size):
                super().__init__()
                self.h = num_heads
                self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
                self.o = nn.Linear(hidden_dim, hidden_dim)

            def forward(self, x):
                q, k, v = (
                    t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1)
                )
                s = q @ k.mT / q.shape[-1] ** 0.5
                s = s.masked_fill(~visible(x.shape[1], x.device), float("-inf"))
                return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        """,
    ),
    "a helper that is given the raw input": (
        "v1",
        "value-not-projected",
        """\
        def attend(q, k, v):
            return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


        class SelfAttentionV1(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)

            def forward(self, x):
                return attend(self.q(x), self.k(x), x)  # here
        """,
    ),
    "a mask that is not passed on": (
        "v4",
        "mask-ignored",
        """\
        def attend(q, k, v, drop, mask=None):
            s = q @ k.mT / q.shape[-1] ** 0.5
            if mask is not None:
                s = s.masked_fill(mask == 0, float("-inf"))
            return drop(s.softmax(-1)) @ v


        class SelfAttentionV4(nn.Module):
            def __init__(self, hidden_dim, dropout=0.1):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)
                self.drop = nn.Dropout(dropout)

            def forward(self, x, attention_mask=None):
                return attend(self.q(x), self.k(x), self.v(x), self.drop)  # here
        """,
    ),
    "a condition that keeps the mask out": (
        "v4",
        "mask-ignored",
        """\
        class SelfAttentionV4(nn.Module):
            def __init__(self, hidden_dim, dropout=0.1):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)
                self.drop = nn.Dropout(dropout)

            def forward(self, x, attention_mask=None):
                s = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
                if attention_mask is not None and attention_mask.dim() == 9:  # here
                    s = s.masked_fill(attention_mask == 0, float("-inf"))
                return self.drop(s.softmax(-1)) @ self.v(x)
        """,
    ),
    "a batch folded into the positions": (
        "v1",
        "batch-mixed",
        """\
        class SelfAttentionV1(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)

            def forward(self, x):
                shape = x.shape
                rows = x.reshape(-1, shape[-1])  # here
                q, k, v = self.q(rows), self.k(rows), self.v(rows)
                return ((q @ k.T / shape[-1] ** 0.5).softmax(-1) @ v).reshape(shape)
        """,
    ),
    "heads folded in another order than they are unfolded": (
        "mha",
        "batch-mixed",
        """\
        class MultiHeadAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads, dropout=0.1):
                super().__init__()
                self.h = num_heads
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)
                self.o = nn.Linear(hidden_dim, hidden_dim)

            def fold(self, t):
                return t.unflatten(-1, (self.h, -1)).transpose(1, 2).flatten(0, 1)

            def forward(self, x, attention_mask=None):
                q, k, v = self.fold(self.q(x)), self.fold(self.k(x)), self.fold(self.v(x))
                s = q @ k.mT / q.shape[-1] ** 0.5
                if attention_mask is not None:
                    full = attention_mask.expand(x.shape[0], self.h, *s.shape[1:])
                    s = s.masked_fill(full.reshape(s.shape) == 0, -1e9)
                y = s.softmax(-1) @ v
                y = y.reshape(self.h, x.shape[0], *y.shape[1:])  # here
                return self.o(y.permute(1, 2, 0, 3).flatten(2))
        """,
    ),
    "a dtype that was written down": (
        "v1",
        "dtype-hardcoded",
        """\
        class SelfAttentionV1(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Linear(hidden_dim, hidden_dim)

            def forward(self, x):
                s = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
                w = s.to(torch.float32).softmax(-1)  # here
                return w @ self.v(x)
        """,
    ),
    "heads before samples, and a mask that has samples first": (
        "attention-module",
        "mask-fold-differs",
        """\
        class MultiheadAttention(nn.Module):
            def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
                super().__init__()
                self.h, self.rate = num_heads, dropout
                self.q, self.k, self.v, self.o = (
                    nn.Linear(embed_dim, embed_dim, bias=bias) for _ in range(4)
                )

            def fold(self, x):
                return x.unflatten(-1, (self.h, -1)).permute(2, 0, 1, 3).flatten(0, 1)

            def forward(
                self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True,
            ):
                q, k, v = self.fold(self.q(query)), self.fold(self.k(key)), self.fold(self.v(value))
                bias = 0.0
                if attn_mask is not None:
                    bias = attn_mask
                    if attn_mask.dtype is torch.bool:
                        bias = torch.zeros_like(attn_mask, dtype=q.dtype)
                        bias = bias.masked_fill(attn_mask, -math.inf)
                s = q @ k.mT / q.shape[-1] ** 0.5
                s = s + bias  # here
                if key_padding_mask is not None:
                    hidden = key_padding_mask.repeat(self.h, 1).unsqueeze(1)
                    s = s.masked_fill(hidden, -math.inf)
                w = F.dropout(s.softmax(-1), self.rate, self.training)
                y = (w @ v).unflatten(0, (self.h, -1)).permute(1, 2, 0, 3).flatten(2)
                w = w.unflatten(0, (self.h, -1)).transpose(0, 1)
                w = w.mean(1) if average_attn_weights else w
                return self.o(y), w if need_weights else None
        """,
    ),
    "the new keys alone that come back": (
        "kvcache",
        "cache-stale",
        """\
        class CachedSelfAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h = num_heads
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
                )

            def split(self, x):
                return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

            def forward(self, x, cache=None):
                new = [self.split(one(x)) for one in (self.k, self.v)]
                key, value = new if cache is None else (
                    torch.cat(pair, 2) for pair in zip(cache, new)
                )
                s = self.split(self.q(x)) @ key.mT / key.shape[-1] ** 0.5
                seen = s.new_ones(s.shape[-2:]).tril(s.shape[-1] - s.shape[-2])
                w = s.masked_fill(seen == 0, -math.inf).softmax(-1)
                return self.o((w @ value).transpose(1, 2).flatten(2)), new  # here
        """,
    ),
    "a mask in the first call alone, by a helper that others ask too": (
        "kvcache",
        "causal-missing-in-chunks",
        """\
        def given(x):
            return x is not None

        class CachedSelfAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h = num_heads
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
                )

            def split(self, x):
                return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

            def forward(self, x, cache=None):
                key, value = self.split(self.k(x)), self.split(self.v(x))
                if given(cache):
                    key, value = torch.cat((cache[0], key), 2), torch.cat((cache[1], value), 2)
                s = self.split(self.q(x)) @ key.mT / key.shape[-1] ** 0.5
                if not given(cache):  # here
                    s = s.masked_fill(s.new_ones(s.shape[-2:]).triu(1) == 1, -math.inf)
                made = s.softmax(-1) @ value
                return self.o(made.transpose(1, 2).flatten(2)), (key, value)
        """,
    ),
    "padding of the memory that is set to 0": (
        "cross-cache",
        "padding-zeroed",
        """\
        class CachedCrossAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h = num_heads
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4)
                )

            def split(self, t):
                return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

            def forward(self, x, memory, memory_lengths, cache=None):
                if cache is None:
                    real = torch.arange(memory.shape[1], device=x.device) < memory_lengths[:, None]
                    memory = memory * real.unsqueeze(-1)  # here
                    cache = self.split(self.k(memory)), self.split(self.v(memory))
                key, value = cache
                scores = self.split(self.q(x)) @ key.mT / math.sqrt(key.shape[-1])
                merged = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
                return self.o(merged), cache
        """,
    ),
    "places as floats, each by itself in a vmap": (
        "drill-expand",
        "distance-rounded",
        """\
        def share_keys(key, heads):
            return key.unsqueeze(1).expand(-1, heads, -1, -1)

        def silence_head(key, heads, head):
            kept = torch.arange(heads, device=key.device) != head
            return share_keys(key, heads) * kept[:, None, None]

        def repeat_kv(key, repeats):
            return key.repeat_interleave(repeats, 1)

        def add_slopes(scores, slopes):
            return scores + slopes[:, None, None]

        def distances(positions):
            places = positions.float()  # here
            made = torch.vmap(lambda one: torch.vmap(lambda other: torch.sub(other, one))(places))
            return made(places).long()
        """,
    ),
    "maps that are laid before the heads": (
        "differential",
        "maps-across-heads",
        """\
        class DifferentialAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads, depth):
                super().__init__()
                self.heads, self.d = num_heads, hidden_dim // num_heads // 2
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
                )
                self.start = 0.8 - 0.6 * math.exp(-0.3 * depth)
                self.lq1, self.lk1, self.lq2, self.lk2 = (
                    nn.Parameter(torch.randn(self.d) * 0.1) for _ in range(4)
                )
                self.norm = nn.RMSNorm(2 * self.d, eps=1e-5)

            def forward(self, x):
                shape = (*x.shape[:2], 2, self.heads, self.d)  # here
                q, k = (one(x).view(shape).permute(2, 0, 3, 1, 4) for one in (self.q, self.k))
                v = self.v(x).unflatten(-1, (self.heads, 2 * self.d)).transpose(1, 2)
                s = q @ k.mT / self.d**0.5
                s = s.masked_fill(torch.ones_like(s[0, 0, 0]).triu(1) == 1, -math.inf)
                first, second = s.softmax(-1)
                lam = (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.start
                y = self.norm((first - lam * second) @ v) * (1 - self.start)
                return self.o(y.transpose(1, 2).flatten(2))
        """,
    ),
    "a mask whose new axis comes first, which fits no shape": (
        "cross",
        "mask-wrong-heads",
        """\
        class CrossAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads, dropout=0.1):
                super().__init__()
                self.h, self.rate = num_heads, dropout
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
                )

            def split(self, t):
                return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

            def forward(self, query, key, value, mask=None):
                q, k = self.split(self.q(query)), self.split(self.k(key))
                v = self.split(self.v(value))
                s = q @ k.mT / q.shape[-1] ** 0.5
                if mask is not None:
                    heads = mask[None]  # here
                    s = s.masked_fill(heads == 0, torch.finfo(s.dtype).min)
                w = F.dropout(s.softmax(-1), self.rate, self.training)
                return self.o((w @ v).transpose(1, 2).reshape(*query.shape[:2], -1))
        """,
    ),
    "a helper of two things that is right for who has nothing to hide": (
        "drill-softmax",
        "max-over-hidden",
        """\
        def parts(x, dim):
            most = x.amax(dim, keepdim=True)
            each = (x - most).exp()
            return each, most

        def softmax(x, dim=-1):
            each, _ = parts(x, dim)
            return each / each.sum(dim, keepdim=True)

        def log_sum_exp(x, dim=-1):
            each, most = parts(x, dim)
            return (each.sum(dim, keepdim=True).log() + most).squeeze(dim)

        def masked_softmax(scores, mask):
            each, _ = parts(scores, -1)  # here
            each = each * (mask != 0)
            total = each.sum(-1, keepdim=True)
            return each / total.masked_fill(total == 0, 1)
        """,
    ),
    "a copy that is made like a view": (
        "drill-axes",
        "result-strides",
        """\
        def by_transpose(x):
            return x.transpose(1, 2)

        def by_permute(x):
            return x.permute(0, 2, 1, 3)

        def by_swapaxes(x):
            return x.swapaxes(1, 2)

        def by_movedim(x):
            return x.movedim(1, 2)

        def swap_last(key):
            return key.transpose(-2, -1)

        def swap_last_copy(key):
            turned = swap_last(key)
            made = torch.zeros_like(turned)  # here
            made += turned
            made.size()
            return made

        def heads_to_front(x):
            return x.permute(2, 0, 1, 3)

        def heads_to_back(x):
            return x.permute(1, 2, 0, 3).contiguous()
        """,
    ),
    "parents that are rows": (
        "beam-search",
        "beam-parent-is-row",
        """\
        def start_beams(logits, keys, values, beams):
            scores, tokens = logits.log_softmax(-1).topk(beams)
            again = keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)
            return scores, tokens, *again

        def beam_step(scores, logits, keys, values, finished, eos):
            batch, beams = scores.shape
            now = logits.log_softmax(-1).unflatten(0, (batch, beams))
            stays = torch.full_like(now, -math.inf)
            stays[..., eos] = 0
            now = torch.where(finished[..., None], stays, now)
            every = (scores[..., None] + now).flatten(1)
            scores, at = every.topk(beams)
            first = torch.arange(0, batch * beams, beams, device=at.device)
            rows = at // now.shape[-1] + first[:, None]  # here
            tokens = at % now.shape[-1]
            finished = finished.flatten()[rows] | (tokens == eos)
            every = rows.flatten()
            return scores, tokens, rows, finished, keys[every], values[every]

        def trace_back(tokens, parents):
            beam = torch.arange(tokens.shape[-1], device=tokens.device).expand_as(tokens[0])
            found = []
            for token, parent in zip(reversed(tokens), reversed(parents)):
                found.append(token.gather(-1, beam))
                beam = parent.gather(-1, beam)
            return torch.stack(found[::-1], -1)

        def length_penalised(scores, lengths, alpha=0.6):
            return scores / ((5 + lengths) / 6) ** alpha
        """,
    ),
    "an MLP that is made too narrow": (
        "block",
        "mlp-width",
        """\
        class TransformerBlock(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h = num_heads
                self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
                self.out = nn.Linear(hidden_dim, hidden_dim)
                ratio = len(("up", "down"))
                self.up = nn.Linear(hidden_dim, ratio * hidden_dim)  # here
                self.down = nn.Linear(ratio * hidden_dim, hidden_dim)
                self.first, self.second = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)

            def forward(self, x):
                q, k, v = self.qkv(self.first(x)).unflatten(-1, (3, self.h, -1)).unbind(-3)
                q, k, v = (one.transpose(1, 2) for one in (q, k, v))
                s = q @ k.mT / q.shape[-1] ** 0.5
                s = s.masked_fill(torch.ones_like(s[0, 0]).triu(1).bool(), -math.inf)
                x = x + self.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
                return x + self.down(F.gelu(self.up(self.second(x))))
        """,
    ),
    "an even share over ignored positions too": (
        "cross-entropy",
        "loss-over-ignored",
        """\
        def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
            logs = logits - logits.amax(-1, keepdim=True)
            logs = logs - logs.exp().sum(-1, keepdim=True).log()
            kept = targets != ignore_index
            asked = torch.where(kept, targets, 0).unsqueeze(-1)
            picked = logs.gather(-1, asked).squeeze(-1)
            first = -picked[kept].mean()
            even = -logs.mean()  # here
            return torch.lerp(first, even, label_smoothing)

        def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
            kept = targets != ignore_index
            wanted = F.one_hot(torch.where(kept, targets, 0), logits.shape[-1]).to(logits.dtype)
            wanted = wanted * (1 - label_smoothing) + label_smoothing / logits.shape[-1]
            made = (logits - logits.amax(-1, keepdim=True)).exp()
            made = made / made.sum(-1, keepdim=True)
            return (made - wanted) * kept.unsqueeze(-1) / kept.sum()
        """,
    ),
    "an activation in a Sequential": (
        "v1",
        "activation-added",
        """\
        class SelfAttentionV1(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.q = nn.Linear(hidden_dim, hidden_dim)
                self.k = nn.Linear(hidden_dim, hidden_dim)
                self.v = nn.Sequential(
                    nn.Linear(hidden_dim, hidden_dim),
                    nn.GELU(),  # here
                )

            def forward(self, x):
                s = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
                return s.softmax(-1) @ self.v(x)
        """,
    ),
    "a mask that is written to, and scores that are the call's own": (
        "mha",
        "input-modified",
        """\
        class MultiHeadAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads, dropout=0.1):
                super().__init__()
                self.h, self.d = num_heads, hidden_dim // num_heads
                self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
                self.out = nn.Linear(hidden_dim, hidden_dim)
                self.drop = nn.Dropout(dropout)

            def forward(self, x, attention_mask=None):
                made = (t.unflatten(2, (self.h, self.d)) for t in self.qkv(x).chunk(3, 2))
                q, k, v = (t.transpose(1, 2) for t in made)
                scores = (q @ k.mT).mul_(self.d**-0.5)
                if attention_mask is not None:
                    bias = attention_mask.to(scores.dtype)
                    bias.sub_(1).mul_(torch.finfo(scores.dtype).max)  # here
                    scores.add_(bias)
                weights = self.drop(scores.softmax(-1))
                return self.out((weights @ v).transpose(1, 2).flatten(2))
        """,
    ),
    "a rate that is handed on with dropout": (
        "v3",
        "dropout-rate-wrong",
        """\
        from functools import partial

        class SelfAttentionV3(nn.Module):
            def __init__(self, hidden_dim, dropout=0.1):
                super().__init__()
                self.q, self.k, self.v, self.o = (
                    nn.Linear(hidden_dim, hidden_dim) for _ in range(4)
                )
                self.thin = partial(F.dropout, p=1 - dropout)  # here

            def forward(self, x, attention_mask=None):
                scores = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
                if attention_mask is not None:
                    scores = scores.masked_fill(attention_mask == 0, -1e4)
                steps = (partial(torch.softmax, dim=-1), partial(self.thin, training=self.training))
                for step in steps:
                    scores = step(scores)
                return self.o(scores @ self.v(x))
        """,
    ),
    "a softmax that is kept among layers": (
        "v4",
        "dropout-missing",
        """\
        class SelfAttentionV4(nn.Module):
            def __init__(self, hidden_dim, dropout=0.1):
                super().__init__()
                names = ("query", "key", "value")
                self.layers = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in names})
                self.layers["dropout"] = nn.Dropout(dropout)
                self.layers["softmax"] = nn.Softmax(dim=-1)

            def forward(self, x, attention_mask=None):
                q, k, v = (self.layers[name](x) for name in ("query", "key", "value"))
                scores = q @ k.mT / x.shape[-1] ** 0.5
                if attention_mask is not None:
                    scores = scores.masked_fill(attention_mask == 0, -1e4)
                return self.layers["softmax"](scores) @ v  # here
        """,
    ),
    "the keys' part of one layer, taken for the values too": (
        "v2",
        "values-from-keys",
        """\
        class SelfAttentionV2(nn.Module):
            def __init__(self, hidden_dim):
                super().__init__()
                self.all = nn.Linear(hidden_dim, 3 * hidden_dim)

            def part(self, made, place):
                return made.unflatten(-1, (3, -1)).select(-2, place)

            def forward(self, x):
                made = self.all(x)
                q, k = self.part(made, 0), self.part(made, 1)
                v = self.part(made, 1)  # here
                return (q @ k.mT / x.shape[-1] ** 0.5).softmax(-1) @ v
        """,
    ),
    "a mask of floats that is added, behind one of bools that is not": (
        "mqa",
        "mask-added",
        """\
        def hide(scores, mask):
            if mask.dtype == torch.bool:
                return scores.masked_fill(~mask, float("-inf"))
            if mask.is_floating_point():
                return scores + mask  # here
            return scores.masked_fill(mask == 0, float("-inf"))

        class MultiQueryAttention(nn.Module):
            def __init__(self, hidden_dim, num_heads):
                super().__init__()
                self.h, self.d = num_heads, hidden_dim // num_heads
                self.q, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(2))
                self.k, self.v = (nn.Linear(hidden_dim, self.d) for _ in range(2))

            def forward(self, x, attention_mask=None):
                q = self.q(x).unflatten(2, (self.h, self.d)).transpose(1, 2)
                scores = q @ self.k(x)[:, None].mT / self.d**0.5
                if attention_mask is not None:
                    scores = hide(scores, attention_mask)
                context = scores.softmax(-1) @ self.v(x)[:, None]
                return self.o(context.transpose(1, 2).flatten(2))
        """,
    ),
}


@pytest.mark.costly
@pytest.mark.parametrize("fault", FAULTS)
def test_line(judged, fault: str) -> None:
    """A mistake is named with the line that its comment marks."""
    kata, mistake, body = FAULTS[fault]
    source = textwrap.dedent(HEAD) + textwrap.dedent(body)
    wanted = next(n for n, row in enumerate(source.splitlines(), 1) if row.endswith("# here"))
    report = judged(kata, source)
    assert report.verdict == "fail"
    assert [(d.mistake, d.line) for d in report.diagnosis][:1] == [(mistake, wanted)]


@pytest.mark.costly
def test_three_mistakes_of_one_class_are_named_with_their_lines(judged) -> None:
    """Where neither one edit nor two explain a class, they are peeled off step by step."""
    source = find("kvcache").solution()
    for before, after in (
        ("/ math.sqrt(self.head_dim)", "/ math.sqrt(hidden_dim)"),
        ("tril(diagonal=key_length - length)", "tril(diagonal=key_length - length + 1)"),
        ("softmax(dim=-1)", "softmax(dim=-2)"),
    ):
        assert source.count(before) == 1, before
        source = source.replace(before, after)
    told = {one.mistake: one.line for one in judged("kvcache", source).diagnosis}
    assert [*told] == ["scale-by-hidden-dim", "causal-sees-next", "softmax-wrong-axis"]
    rows = source.splitlines()
    assert "math.sqrt(hidden_dim)" in rows[told["scale-by-hidden-dim"] - 1]
    assert "softmax(dim=-2)" in rows[told["softmax-wrong-axis"] - 1]


@pytest.mark.costly
def test_what_a_part_makes_twice_hides_nothing(judged) -> None:
    """A norm's own steps differ at its second call, behind the line that is at fault."""
    source = find("llama-block").solution()
    before, after = (
        "kv_value.repeat_interleave(self.group_size, 1)",
        "kv_value.repeat(1, self.group_size, 1, 1)",
    )
    assert source.count(before) == 1
    (found,) = judged("llama-block", source.replace(before, after)).diagnosis
    assert found.mistake == "kv-heads-tiled"
    assert after in source.replace(before, after).splitlines()[found.line - 1]
