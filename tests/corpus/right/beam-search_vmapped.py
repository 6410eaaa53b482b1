# right: beam-search
import torch
from torch import Tensor
from torch.func import vmap


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    scores, tokens = logits.log_softmax(-1).topk(beams, -1)
    shape = (keys.size(0) * beams, *keys.shape[1:])
    return (
        scores,
        tokens,
        keys.unsqueeze(1).repeat(1, beams, 1, 1, 1).view(shape),
        values.unsqueeze(1).repeat(1, beams, 1, 1, 1).view(shape),
    )


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.size(-1)
    dead = torch.full((vocab,), -torch.inf, dtype=logits.dtype, device=logits.device)
    dead = dead.index_fill(0, torch.tensor([eos], device=logits.device), 0)

    def one(score, logit, key, value, done):
        total = score[:, None] + torch.where(done[:, None], dead, logit.log_softmax(-1))
        best, place = total.flatten().topk(beams)
        parent = place // vocab
        token = place % vocab
        over = done.index_select(0, parent) | (token == eos)
        return best, token, parent, over, key.index_select(0, parent), value.index_select(0, parent)

    grouped = [x.unflatten(0, (batch, beams)) for x in (logits, keys, values)]
    *small, new_keys, new_values = vmap(one)(scores, *grouped, finished)
    return (*small, new_keys.flatten(0, 1), new_values.flatten(0, 1))


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    beam = torch.arange(tokens.size(-1), device=tokens.device).expand_as(tokens[0])
    rows = []
    for token, parent in zip(tokens.unbind()[::-1], parents.unbind()[::-1]):
        rows.append(token.gather(-1, beam))
        beam = parent.gather(-1, beam)
    return torch.stack(rows).flip(0).permute(1, 2, 0)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / ((5 + lengths) / 6).pow(alpha)
    best = penalized.argmax(1)
    return vmap(lambda rows, i: rows.index_select(0, i[None])[0])(sequences, best), penalized.amax(1)
