import torch
from torch import Tensor


class Hypotheses:
    def __init__(self, scores: Tensor, finished: Tensor):
        self.scores, self.finished = scores, finished
        self.batch, self.width = scores.shape

    def expand(self, logits: Tensor, eos: int) -> Tensor:
        logp = logits.log_softmax(dim=-1).view(self.batch, self.width, -1)
        return self.scores.view(self.batch, self.width, 1) + logp

    def offsets(self, device):
        return torch.arange(0, self.batch * self.width, self.width, device=device).view(-1, 1)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    vals, toks = logits.log_softmax(dim=-1).sort(dim=-1, descending=True)
    return (vals[:, :beams], toks[:, :beams],
            keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0))


def beam_step(scores, logits, keys, values, finished, eos):
    hyp = Hypotheses(scores, finished)
    cand = hyp.expand(logits, eos)
    vocab = cand.shape[-1]
    top, pos = cand.view(hyp.batch, -1).topk(hyp.width)
    parents = torch.div(pos, vocab, rounding_mode="trunc")
    tokens = pos - parents * vocab
    done = torch.logical_or(finished.gather(1, parents), tokens.eq(eos))
    order = (hyp.offsets(pos.device) + parents).view(-1)
    return top, tokens, parents, done, keys.index_select(0, order), values.index_select(0, order)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    rows = torch.arange(batch, device=tokens.device)[:, None]
    cols = torch.arange(beams, device=tokens.device)[None]
    picked = []
    for t in range(steps)[::-1]:
        picked.append(tokens[t][rows, cols])
        cols = parents[t].long()[rows, cols]
    picked.reverse()
    return torch.stack(picked, dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    length_penalty = ((5 + lengths) / 6) ** alpha
    final = scores / length_penalty
    winner = final.argmax(1)
    i = torch.arange(scores.shape[0], device=scores.device)
    return sequences[i, winner], final[i, winner]
