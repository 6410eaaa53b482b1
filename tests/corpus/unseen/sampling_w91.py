import torch
import torch.nn.functional as F
from torch import Tensor


def _hide(logits: Tensor, hidden: Tensor) -> Tensor:
    return torch.where(hidden, torch.tensor(float("-inf"), dtype=logits.dtype, device=logits.device), logits)


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    vocab = logits.shape[-1]
    seen = F.one_hot(tokens.long(), vocab).sum(1) > 0
    factor = torch.where(logits > 0, 1.0 / penalty, penalty)
    return torch.where(seen, logits * factor, logits)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    threshold = logits.sort(-1).values[:, -k].unsqueeze(-1)
    return _hide(logits, logits < threshold)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = logits.softmax(-1).sort(-1, descending=True)
    excluded = (probs.cumsum(-1) - probs) >= p
    return _hide(logits, excluded.gather(-1, order.argsort(-1)))


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = F.softmax(logits, dim=-1)
    best = probs.max()
    return _hide(logits, probs < p * best)


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    z = logits
    if penalty != 1.0:
        z = penalize(z, tokens, penalty)
    z = z.div(temperature)
    if top_k:
        z = keep_top_k(z, top_k)
    if top_p < 1.0:
        z = keep_top_p(z, top_p)
    if min_p > 0.0:
        z = keep_min_p(z, min_p)
    return F.softmax(z, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    total = probs.cumsum(dim=-1)
    return torch.searchsorted(total, uniform.unsqueeze(-1), right=True).squeeze(-1)
