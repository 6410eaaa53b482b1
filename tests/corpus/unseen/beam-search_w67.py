# attn-kata: beam-search
import torch
from torch import Tensor

NEG = float("-inf")


class BeamState:
    """Bundles the shapes that every helper below needs."""

    def __init__(self, scores: Tensor, vocab: int):
        self.batch, self.width = scores.shape
        self.vocab = vocab
        self.scores = scores

    def spread(self, x: Tensor) -> Tensor:
        return x.reshape(self.batch, self.width * self.vocab)

    def candidates(self, logits: Tensor, finished: Tensor, eos: int) -> Tensor:
        logp = self.spread(logits).log_softmax(dim=-1)
        logp = logp.reshape(self.batch, self.width, self.vocab)
        frozen = logp.new_full((self.vocab,), NEG).index_fill(0, torch.tensor([eos], device=logp.device), 0.0)
        logp = torch.where(finished[:, :, None], frozen[None, None], logp)
        return self.spread(self.scores[:, :, None] + logp)

    def rows(self, parents: Tensor) -> Tensor:
        first = torch.arange(self.batch, device=parents.device) * self.width
        return (first[:, None] + parents).reshape(-1)


def start_beams(logits, keys, values, beams):
    logp = logits.log_softmax(dim=-1)
    order = logp.argsort(dim=-1, descending=True)[:, :beams]
    expand = lambda c: c.unsqueeze(1).repeat(1, beams, 1, 1, 1).reshape(-1, *c.shape[1:])
    return logp.gather(1, order), order, expand(keys), expand(values)


def beam_step(scores, logits, keys, values, finished, eos):
    state = BeamState(scores, logits.shape[-1])
    best, place = state.candidates(logits, finished, eos).topk(state.width, dim=-1, sorted=True)
    parents = place.div(state.vocab, rounding_mode="trunc")
    tokens = place - parents * state.vocab
    done = finished.gather(1, parents).logical_or(tokens == eos)
    rows = state.rows(parents)
    return best, tokens, parents, done, keys[rows], values[rows]


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape
    out = torch.zeros(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    for b in range(batch):
        for k in range(beams):
            at = k
            for t in range(steps - 1, -1, -1):
                out[b, k, t] = tokens[t, b, at]
                at = int(parents[t, b, at])
    return out


def best_sequence(sequences, scores, lengths, alpha):
    penal = ((5 + lengths.to(scores.dtype)) / 6).pow(alpha)
    final = scores / penal
    i = final.argmax(dim=-1)
    rows = torch.arange(sequences.shape[0], device=i.device)
    return sequences[rows, i], final[rows, i]
