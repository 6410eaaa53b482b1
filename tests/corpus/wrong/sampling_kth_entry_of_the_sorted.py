# wrong: sampling top-k-one-more line 13
# fair: top-k-one-more 14
import torch
from torch import Tensor


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    score = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.minimum(score * penalty, score / penalty))


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    smallest_kept = torch.sort(logits, dim=-1, descending=True)[0][:, min(k, logits.shape[-1] - 1)]
    return logits.masked_fill(logits < smallest_kept[:, None], -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    probs, order = torch.sort(torch.softmax(logits, dim=-1), dim=-1, descending=True)
    stay = probs.cumsum(dim=-1) - probs < p
    return logits.masked_fill(~stay.scatter(-1, order, stay), -torch.inf)


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    return logits.masked_fill(probs < p * probs.amax(dim=-1, keepdim=True), -torch.inf)


def next_token_probs(
    logits: Tensor, tokens: Tensor, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0,
    min_p: float = 0.0, penalty: float = 1.0,
) -> Tensor:
    out = penalize(logits, tokens, penalty) / temperature
    if top_k:
        out = keep_top_k(out, top_k)
    out = keep_min_p(keep_top_p(out, top_p), min_p)
    return torch.softmax(out, dim=-1)


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    return torch.searchsorted(torch.cumsum(probs, -1), uniform[:, None], right=True)[:, 0]
