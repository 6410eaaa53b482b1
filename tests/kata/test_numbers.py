"""Each number asked for, worked out a second way: counted, summed, simulated, or by torch."""

import itertools
import math
from typing import Any

import torch
from attn_kata.kata.numbers import numbers, worth


def cache(layers, kv_heads, head_dim, tokens=1, each=2):
    """Bytes of a cache, a layer and a side at a time."""
    return sum(each * kv_heads * head_dim * tokens for _ in range(layers) for _ in "kv")


def least(holds):
    """The smallest whole number from 1 for which something holds from there on."""
    low, high = 1, 10**7
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def expected(rate, drafts):
    """Tokens of a verifying step: so many accepted and one more, each weighed by its chance."""
    stopped = (rate**n * (1 - rate) * (n + 1) for n in range(drafts))
    return sum(stopped) + rate**drafts * (drafts + 1)


def last_share(devices, each=2000):
    """The last device's pairs of query and key over the mean of all devices."""
    pairs = range(1, each * devices + 1)
    return sum(pairs[-each:]) / (sum(pairs) / devices)


def linear(d, out):
    """Numbers in a layer without bias."""
    return torch.nn.Linear(d, out, bias=False, device="meta").weight.numel()


def drawn(scores):
    """Softmax of a row of scores."""
    return torch.tensor(scores, dtype=torch.float64).softmax(0)


def odds(weights):
    """The second weight over the first."""
    return float(weights[1] / weights[0])


AGAIN = {
    "number-cache-token": lambda layers, kv_heads, head_dim: (
        cache(layers, kv_heads, head_dim) / 2**10
    ),
    "number-cache-sequence": lambda layers, kv_heads, head_dim, tokens: (
        cache(layers, kv_heads, head_dim, tokens) / 2**30
    ),
    "number-cache-batch": lambda memory, weights, layers, kv_heads, head_dim, tokens: (
        least(
            lambda n: (
                weights * 2**30 + n * cache(layers, kv_heads, head_dim, tokens) > memory * 2**30
            )
        )
        - 1
    ),
    "number-cache-fp8": lambda layers, kv_heads, head_dim, tokens: (
        cache(layers, kv_heads, head_dim, tokens, 1) / 2**30
    ),
    "number-cache-mha-gqa": lambda heads, kv_heads: cache(3, heads, 64) / cache(3, kv_heads, 64),
    "number-cache-mla": lambda heads, head_dim, latent, rope: (
        cache(1, heads, head_dim) / (2 * (latent + rope))
    ),
    "number-mla-groups": lambda latent, rope, head_dim: 2 * (latent + rope) / cache(1, 1, head_dim),
    "number-mla-absorbed": lambda latent, rope, head_dim: (
        ((latent + rope) + latent) / ((head_dim + rope) + head_dim)
    ),
    "number-window-cache": lambda tokens, window: tokens / window,
    "number-window-reach": lambda window, layers: sum(window - 1 for _ in range(layers)),
    "number-window-scores": lambda tokens, window: (
        sum(i + 1 for i in range(tokens)) / sum(min(i + 1, window) for i in range(tokens))
    ),
    "number-scores-memory": lambda heads, tokens: heads * tokens * tokens * 2 / 1024**3,
    "number-weights-returned": lambda heads, tokens: heads * tokens * tokens * 4 / 1024**2,
    "number-projection-parameters": lambda d: sum(linear(d, d) for _ in range(4)) / 1e6,
    "number-gqa-parameters": lambda d, heads, kv_heads: (
        (2 * linear(d, d) + 2 * linear(d, kv_heads * (d // heads))) / 1e6
    ),
    "number-block-parameters": lambda d, layers: layers * (4 * d * d + 2 * (d * 4 * d)) / 1e6,
    "number-mlp-share": lambda ratio: 100 * (2 * ratio) / (2 * ratio + 4),
    "number-swiglu-width": lambda d: 2 * (d * 4 * d) / (3 * d),
    "number-init-residual": lambda layers: (2 * layers) ** -0.5,
    "number-score-flops": lambda tokens, d: 2 * (2 * tokens * tokens * d) / 1e9,
    "number-projection-flops": lambda tokens, d: 4 * (2 * tokens * d * d) / 1e9,
    "number-overtake": lambda d: least(lambda t: 4 * t * t * d > 8 * t * d * d) - 1,
    "number-overtake-block": lambda d: least(lambda t: 4 * t * t * d > 2 * 12 * t * d * d) - 1,
    "number-model-flops": lambda billion, tokens: 6 * billion * 1e9 * tokens * 1e12 / 1e21,
    "number-decode-flops": lambda billion: 2 * billion * 1e9 / 1e9,
    "number-decode-time": lambda billion, bandwidth: billion * 1e9 * 2 / (bandwidth * 1e12) * 1e3,
    "number-cache-read-time": lambda gib, bandwidth: gib * 1024**3 / (bandwidth * 1e9),
    "number-ridge": lambda tflops, bandwidth: tflops * 1e12 / (bandwidth * 1e12),
    "number-intensity-decode": lambda batch: (2 * batch * 5e9) / (2 * 5e9),
    "number-intensity-prefill": lambda tokens: (2 * tokens * 5e9) / (2 * 5e9),
    "number-batch-for-ridge": lambda tflops, bandwidth: (
        (tflops * 1e12 / 2) / (bandwidth * 1e12 / 2)
    ),
    "number-intensity-attention": lambda heads, kv_heads: (
        (2 * 2 * heads * 128 * 1000) / (2 * kv_heads * 128 * 1000 * 2)
    ),
    "number-flash-traffic": lambda n, d, sram: n * n * d * d / sram / 1e6,
    "number-flash-saving": lambda d, sram: 4096**2 / (4096**2 * d**2 / sram),
    "number-flash-kept": lambda tokens, heads: tokens * heads * 4 / 1024,
    "number-flash-tiles": lambda tiles: (
        100 * sum(1 for i in range(tiles) for j in range(tiles) if j <= i) / tiles**2
    ),
    "number-page-waste": lambda block, tokens: (-tokens) % block,
    "number-page-count": lambda block, tokens: (tokens + block - 1) // block,
    "number-prefix-shared": lambda prefix, own, requests: (
        (requests * (prefix + own)) / (prefix + requests * own)
    ),
    "number-prefill-saved": lambda prefix, own: 100 * prefix / (prefix + own),
    "number-static-batch": lambda longest, mean: longest / mean,
    "number-speculative": expected,
    "number-speculative-speed": lambda rate, drafts, cost: (
        expected(rate, drafts) / (drafts * cost + 1)
    ),
    "number-tensor-parallel-kv": lambda devices, kv_heads: max(1, kv_heads // devices),
    "number-tensor-parallel-heads": lambda heads, devices: heads // devices,
    "number-ring": lambda tokens, devices: tokens // devices,
    "number-context-parallel-balance": last_share,
    "number-soft-cap": lambda cap, score: cap * (1 - 2 / (math.exp(2 * score / cap) + 1)),
    "number-sink": lambda sinks, window: sinks + window,
    "number-softmax-largest": lambda gap, keys: 100 * float(drawn([gap, *[0.0] * (keys - 1)])[0]),
    "number-score-spread": lambda d: d**0.5,
    "number-default-spread": lambda d: (d * (1 / 3) ** 2) ** 0.5,
    "number-rope-period": lambda base, d: (
        2 * math.pi / min(base ** (-2 * i / d) for i in range(d // 2))
    ),
    "number-rope-interpolation": lambda trained, wanted: wanted / trained,
    "number-alibi-slope": lambda heads, i: [(2 ** (-8 / heads)) ** k for k in range(1, heads + 1)][
        i - 1
    ],
    "number-alibi-weight": lambda slope, distance: 100 * odds(drawn([0.0, -slope * distance])),
    "number-linear-break-even": lambda d: least(lambda n: n * d * d < n * n * d) - 1,
    "number-linear-state": lambda d, tokens: 2 * tokens * d / (d * d + d),
    "number-backward-flops": lambda forward: forward / 2 * 5,
    "number-cross-cache": lambda layers, source, d: layers * 2 * source * d * 2 / 1024**2,
    "number-dropout-scale": lambda p: 1 / (1 - p),
    "number-expand-memory": lambda batch, heads, tokens: batch * heads * tokens * tokens / 1024**3,
    "number-stride": lambda heads, length, head_dim: (
        torch.zeros(2, length, heads, head_dim).transpose(1, 2).stride(2)
    ),
    "number-broadcast-cost": lambda tokens, d: tokens * tokens * d * 4 / 1024**3,
}


def test_all_are_worked_out_again():
    """Each question has its second way."""
    assert {number.id for number in numbers()} == set(AGAIN)


def test_both_ways_agree():
    """Whatever is drawn, the formula gives what the second way gives."""
    for number in numbers():
        near = 1e-3 if "large lengths" in number.ask["en"] else 1e-9
        for chosen in itertools.product(*number.draw.values()):
            values: dict[str, Any] = dict(zip(number.draw, chosen, strict=True))
            again = AGAIN[number.id](**values)
            found = worth(number.formula, values)
            assert math.isclose(found, again, rel_tol=near), (number.id, values)
