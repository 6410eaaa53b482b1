# attn-kata: beam-search
import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = logits.log_softmax(dim=-1)
    scores, tokens = logp.topk(beams, dim=-1)
    return (
        scores,
        tokens,
        keys.repeat_interleave(beams, dim=0),
        values.repeat_interleave(beams, dim=0),
    )


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    n_sample, n_beam = scores.shape
    n_token = logits.shape[-1]

    logp = logits.view(n_sample, n_beam * n_token).log_softmax(dim=-1)
    logp = logp.view(n_sample, n_beam, n_token).clone()
    logp[finished] = float("-inf")
    logp[..., eos] = torch.where(finished, torch.zeros_like(scores), logp[..., eos])

    total = (scores[:, :, None] + logp).reshape(n_sample, -1)
    scores, flat = total.topk(n_beam, dim=-1)
    parents, tokens = flat // n_token, flat % n_token

    offset = torch.arange(n_sample, device=flat.device)[:, None] * n_beam
    rows = (parents + offset).view(-1)
    finished = finished.gather(1, parents) | (tokens == eos)
    return scores, tokens, parents, finished, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    n_step = tokens.shape[0]
    pointer = torch.arange(tokens.shape[2], device=tokens.device).expand(tokens.shape[1], -1)
    path = [tokens[-1]]
    for step in range(n_step - 1, 0, -1):
        pointer = parents[step].long().gather(1, pointer)
        path.insert(0, tokens[step - 1].gather(1, pointer))
    return torch.stack(path, dim=2)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    final = scores / ((5 + lengths) / 6) ** alpha
    top, idx = final.max(dim=-1)
    rows = torch.arange(idx.shape[0], device=idx.device)
    return sequences[rows, idx], top
