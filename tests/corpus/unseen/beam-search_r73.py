import torch
from torch import nn


class _Beams(nn.Module):
    """No weights; a namespace that can be compiled."""

    @staticmethod
    def follow(cache, parents):
        batch, beams = parents.shape
        index = parents.view(batch, beams, 1, 1, 1).expand(-1, -1, *cache.shape[1:])
        return torch.gather(cache.unflatten(0, (batch, beams)), 1, index).flatten(0, 1)

    def forward(self, scores, logits, keys, values, finished, eos):
        batch, beams = scores.shape
        vocab = logits.shape[-1]
        gain = (logits - logits.logsumexp(-1, keepdim=True)).reshape(batch, beams, vocab)
        only_eos = torch.full_like(gain[0, 0], float("-inf"))
        only_eos[eos] = 0
        total = scores.unsqueeze(-1) + torch.where(finished.unsqueeze(-1), only_eos, gain)
        # the best of all pairs, by a full sort of pairs' numbers
        order = total.flatten(1).argsort(dim=1, descending=True)[:, :beams]
        parents, tokens = torch.div(order, vocab, rounding_mode="floor"), order.remainder(vocab)
        rows = torch.arange(batch, device=scores.device).unsqueeze(1)
        return (
            total[rows, parents, tokens], tokens, parents, finished[rows, parents].logical_or(tokens.eq(eos)),
            self.follow(keys, parents), self.follow(values, parents),
        )


beam_step = _Beams()


def start_beams(logits, keys, values, beams):
    p = torch.nn.functional.log_softmax(logits, dim=1)
    order = torch.argsort(p, 1, True)[:, :beams]
    return p.take_along_dim(order, 1), order, *(torch.repeat_interleave(t, beams, 0) for t in (keys, values))


def trace_back(tokens, parents):
    """By halves: the later half says at which beams the earlier one ends."""

    def walk(first, last, beam):
        if last - first == 1:
            up = beam if first == 0 else parents[first].long().take_along_dim(beam, 1)
            return [tokens[first].take_along_dim(beam, 1)], up
        middle = (first + last) // 2
        late, beam = walk(middle, last, beam)
        early, beam = walk(first, middle, beam)
        return early + late, beam

    steps, batch, beams = tokens.shape
    return torch.stack(walk(0, steps, torch.arange(beams, device=tokens.device).repeat(batch, 1))[0], -1)


def best_sequence(sequences, scores, lengths, alpha):
    log_penalty = alpha * torch.log((5.0 + lengths.to(scores.dtype)) / 6.0)
    value, winner = torch.max(scores * torch.exp(-log_penalty), dim=1)
    return sequences[torch.arange(len(winner), device=winner.device), winner], value
