# One sequence is written; torch.func.vmap makes it a batch.
import torch
from torch import Tensor
from torch.func import vmap


def _hide(row: Tensor, keep: Tensor) -> Tensor:
    return row.masked_fill(~keep, float("-inf"))


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    old = logits.gather(1, tokens.long())
    # of old / penalty and old * penalty the one that is less: the first where positive, the second where negative.
    # The same token several times is the same number several times.
    return logits.scatter(1, tokens.long(), torch.minimum(old / penalty, old * penalty))


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    values, places = logits.topk(k, dim=-1)
    return torch.full_like(logits, float("-inf")).scatter(-1, places, values)


def _nucleus(row: Tensor, p: float) -> Tensor:
    ranked, order = row.sort(descending=True)
    before = ranked.softmax(0).cumsum(0).roll(1)
    before = torch.where(torch.arange(len(row), device=row.device) == 0, torch.zeros_like(before), before)
    kept = before < p
    return row.masked_fill(~torch.zeros_like(kept).scatter(0, order, kept), float("-inf"))


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1.0:
        return +logits
    return vmap(lambda row: _nucleus(row, p))(logits)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    return _hide(logits, probs >= probs.amax(-1, keepdim=True) * p)


def next_token_probs(logits, tokens, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, penalty=1.0):
    z = penalize(logits, tokens, penalty).div(temperature)
    z = keep_top_k(z, top_k) if top_k > 0 else z
    z = keep_min_p(keep_top_p(z, top_p), min_p)
    return z.softmax(dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    above = probs.cumsum(-1) > uniform.unsqueeze(-1)
    # argmax of booleans as integers: the first True; a last column that is always True catches rounding
    likely = torch.flip(probs > 0, [-1]).to(torch.uint8).argmax(-1)
    last = probs.shape[-1] - 1 - likely
    return torch.where(above.any(-1), above.to(torch.uint8).argmax(-1), last)
