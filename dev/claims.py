"""The single numbers and the words of errors that the pages speak of, worked out.

A page holds `{key}` where a figure belongs; a function here, named after the page, works
it out. What is drawn at random has its seed, and samples enough for the digits shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from ..reference.v4 import SelfAttentionV4

__all__ = ["claims"]

_SAMPLES = 20_000
_KEYS = 32
_DEPTH = 64

Figures = dict[str, str]


def claims() -> Iterator[tuple[str, Figures]]:
    """Yield the ids whose pages have figures of their own, with these."""
    with torch.no_grad():
        for name, work in _CLAIMS.items():
            yield name, work()


# -- the largest of 32 weights, with scores a factor too large ---------------------------


def _largest(factor: float) -> float:
    draw = torch.Generator().manual_seed(0)
    query = torch.randn((_SAMPLES, 1, _DEPTH), generator=draw)
    key = torch.randn((_SAMPLES, _KEYS, _DEPTH), generator=draw)
    scores = (query * key).sum(-1) / _DEPTH**0.5
    return float((scores * factor).softmax(-1).max(-1).values.mean())


def _scaled(times: float, factor: float, digits: int = 2) -> Callable[[], Figures]:
    def work() -> Figures:
        return {
            "times": f"{times:g}",
            "wrong": f"{_largest(factor):.{digits}f}",
            "right": f"{_largest(1):.2f}",
            "even": f"{1 / _KEYS:.3f}",
        }

    return work


# -- what hidden keys keep, of standard normal scores of 8 keys with 4 hidden -------------


def _kept(hide: Callable[[Tensor, Tensor], Tensor]) -> float:
    draw = torch.Generator().manual_seed(0)
    scores = torch.randn((_SAMPLES * 10, 8), generator=draw, dtype=torch.float64)
    mask = torch.arange(8) < 4
    return float(hide(scores, mask).softmax(-1)[:, 4:].sum(-1).mean())


def _filled(fill: float) -> str:
    share = _kept(lambda scores, mask: scores.masked_fill(~mask, fill))
    return f"{100 * share:.1g}" if share < 0.1 else f"{100 * share:.0f}"


def _mask_added() -> Figures:
    shares = (_kept(lambda scores, mask: scores + mask), _kept(lambda scores, _: scores))
    return {"kept": f"{100 * shares[0]:.0f}", "unmasked": f"{100 * shares[1]:.0f}"}


def _mask_fill_small() -> Figures:
    return {f"kept-{name}": _filled(fill) for name, fill in
            (("tiny", -1e-9), ("one", -1.0), ("five", -5.0), ("ten", -10.0))}  # fmt: skip


def _mask_multiplied() -> Figures:
    return {"kept": f"{100 * _kept(lambda scores, mask: scores * mask):.0f}"}


# -- what torch says ----------------------------------------------------------------------


def _said(work: Callable[[], object]) -> str:
    """The first sentence of what a call raises."""
    try:
        work()
    except RuntimeError as fault:
        return str(fault).split("\n")[0].split(". ")[0].split(" at non-")[0].split(" (at")[0]
    raise AssertionError("it does not raise")


def _batch_fixed() -> Figures:
    joined = torch.zeros(16, 5, 32).view(8, -1, 4, 8).shape[1]
    wrong = _said(lambda: torch.zeros(15, 5, 32).view(8, -1, 4, 8))
    return {"said": wrong, "length": str(joined)}


def _causal_not_sliced() -> Figures:
    visible = torch.ones(16, 16, dtype=torch.bool).tril()
    wide = torch.zeros(2, 1, 1).masked_fill(~visible, 0.0).shape
    said = _said(lambda: torch.zeros(2, 5, 5).masked_fill(~visible, 0.0))
    return {"said": said, "shape": f"{wide[-2]} × {wide[-1]}"}


def _dtype_hardcoded() -> Figures:
    said = _said(lambda: torch.zeros(2, 2, dtype=torch.float64) @ torch.zeros(2, 2))
    total = torch.zeros(2, dtype=torch.float16) + torch.zeros(2, dtype=torch.float32)
    return {"said": said, "result": str(total.dtype).removeprefix("torch.")}


def _fill_overflows_half() -> Figures:
    half = torch.zeros(2, dtype=torch.float16)
    said = _said(lambda: half.masked_fill(half == 0, -1e9))
    brain = float(torch.tensor(-1e9, dtype=torch.bfloat16))
    added = float(((1 - half) * -1e9)[0])
    return {"said": said, "brain": f"{brain:.3g}".replace("e+0", "e"), "added": f"{added:g}"}


def _key_viewed_by_query_length() -> Figures:
    return {"said": _said(lambda: torch.zeros(2, 7, 32).view(2, 5, 4, 8))}


def _length_fixed() -> Figures:
    joined = torch.zeros(2, 64, 32).view(-1, 128, 4, 8).shape[0]
    return {
        "said": _said(lambda: torch.zeros(2, 5, 32).view(-1, 128, 4, 8)),
        "samples": str(joined),
    }


def _view_needs_contiguous() -> Figures:
    return {"said": _said(lambda: torch.zeros(2, 4, 5, 8).transpose(1, 2).view(2, 5, 32))}


# -- dropout --------------------------------------------------------------------------------


def _dropout_before_softmax() -> Figures:
    scores = torch.tensor([3.0, 0.0, -1.0])
    dropped = scores * torch.tensor([0.0, 1.0, 1.0])
    return {
        "before": f"{float(scores.softmax(0)[0]):.2f}",
        "after": f"{float(dropped.softmax(0)[0]):.2f}",
    }


def _rate(rate: float) -> tuple[str, str]:
    """The share of zeros in percent, and what the others are multiplied by."""
    torch.manual_seed(0)
    dropped = nn.functional.dropout(torch.ones(1_000_000), rate)
    kept = float(dropped.max())
    return f"{100 * float((dropped == 0).double().mean()):.0f}", f"{kept:.3g}"


def _dropout_missing() -> Figures:
    zeros, kept = _rate(0.1)
    return {"zeros": zeros, "kept": kept}


def _dropout_rate_wrong() -> Figures:
    (zeros, kept), (most, tenfold), (_, doubled) = _rate(0.1), _rate(0.9), _rate(0.5)
    return {"zeros": zeros, "kept": kept, "most": most, "tenfold": tenfold, "doubled": doubled}


# -- the rest ---------------------------------------------------------------------------------


def _heads_view() -> Figures:
    """One head's positions where 8 positions are viewed as 4 heads without a transpose."""
    positions = torch.arange(8).view(1, 8, 1).expand(1, 8, 32).reshape(1, 4, 8, 8)
    head = positions[0, 0, :, 0].tolist()
    return {"reads": ", ".join(map(str, head))}


def _heads_merge() -> Figures:
    positions = torch.arange(8).view(1, 1, 8, 1).expand(1, 4, 8, 8).reshape(1, 8, 32)
    heads = torch.arange(4).view(1, 4, 1, 1).expand(1, 4, 8, 8).reshape(1, 8, 32)
    first = sorted(set(positions[0, 0].tolist()))
    other = int(heads[0, 2].unique())
    return {"positions": ", ".join(map(str, first)), "head": str(other)}


def _heads_share_projection() -> Figures:
    return {"fewer": str(64 * 64 // (16 * 16))}


def _nondeterministic() -> Figures:
    draw = torch.Generator().manual_seed(0)
    scores = torch.randn((_SAMPLES, 8), generator=draw)
    noise = 0.01 * torch.randn(scores.shape, generator=draw)
    moved = ((scores + noise).softmax(-1) / scores.softmax(-1) - 1).abs().mean()
    return {"percent": f"{100 * float(moved):.0f}"}


def _plain_spread() -> Figures:
    """What torch's default initialisation gives at width 64, on standard normal inputs."""
    torch.manual_seed(0)
    outs = [SelfAttentionV4(64).eval()(torch.randn(8, 32, 64)) for _ in range(50)]
    return {"spread": f"{float(torch.stack(outs).std()):.2f}"}


def _projection_unused() -> Figures:
    return {"count": str(sum(p.numel() for p in nn.Linear(64, 64).parameters()))}


def _scale_after_softmax() -> Figures:
    row = torch.randn(_KEYS, generator=torch.Generator().manual_seed(0)).softmax(0) / _DEPTH**0.5
    return {"sum": f"{float(row.sum()):.3g}"}


def _scale_by_length() -> Figures:
    return {f"times-{n}": f"{(_DEPTH / n) ** 0.5:g}" for n in (16, 64, 256)}


def _softmax_over_heads() -> Figures:
    draw = torch.Generator().manual_seed(0)
    weights = torch.randn((4, 3, 3), generator=draw).softmax(0)
    return {"sum": f"{float(weights.sum(-1).mean()):.2f}"}


def _softmax_unstable() -> Figures:
    low = next(n for n in range(80, 200) if float(torch.tensor(-float(n)).exp()) == 0)
    high = next(n for n in range(600, 800) if torch.tensor(float(n)).double().exp().isinf())
    return {"low": f"-{low}", "high": str(high - 1)}


_CLAIMS: dict[str, Callable[[], Figures]] = {
    "batch-fixed": _batch_fixed,
    "causal-not-sliced": _causal_not_sliced,
    "dropout-before-softmax": _dropout_before_softmax,
    "dropout-missing": _dropout_missing,
    "dropout-rate-wrong": _dropout_rate_wrong,
    "dtype-hardcoded": _dtype_hardcoded,
    "fill-overflows-half": _fill_overflows_half,
    "heads-merge-without-transpose": _heads_merge,
    "heads-share-projection": _heads_share_projection,
    "heads-view-without-transpose": _heads_view,
    "key-viewed-by-query-length": _key_viewed_by_query_length,
    "length-fixed": _length_fixed,
    "mask-added": _mask_added,
    "mask-fill-small": _mask_fill_small,
    "mask-fill-zero": lambda: {"kept": _filled(0.0)},
    "mask-multiplied": _mask_multiplied,
    "nondeterministic": _nondeterministic,
    "norm-added": _plain_spread,
    "projection-unused": _projection_unused,
    "residual-added": _plain_spread,
    "scale-after-softmax": _scale_after_softmax,
    "scale-by-hidden-dim": _scaled(2, 0.5),
    "scale-by-length": _scale_by_length,
    "scale-missing": _scaled(8, 8),
    "scale-multiplied": _scaled(64, 64),
    "scale-without-sqrt": _scaled(8, 1 / 8, 3),
    "softmax-over-heads": _softmax_over_heads,
    "softmax-unstable": _softmax_unstable,
    "view-needs-contiguous": _view_needs_contiguous,
}
