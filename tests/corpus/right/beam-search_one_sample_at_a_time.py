# right: beam-search
import math

import torch
import torch.nn.functional as F


class BeamSearch:
    """The beams of one sample."""

    def __init__(self, scores, finished, eos):
        self.scores, self.finished, self.eos = scores, finished, eos

    def advance(self, logits):
        log_probs = F.log_softmax(logits, dim=-1)
        for k in range(len(self.scores)):
            if self.finished[k]:
                log_probs[k] = -math.inf
                log_probs[k, self.eos] = 0.0
        total = log_probs + self.scores[:, None]
        scores, flat = total.reshape(-1).topk(len(self.scores))
        parents = flat // logits.shape[-1]
        tokens = flat - parents * logits.shape[-1]
        return scores, tokens, parents, self.finished[parents] | (tokens == self.eos)


def start_beams(logits, keys, values, beams):
    scores, tokens, ks, vs = [], [], [], []
    for row, key, value in zip(F.log_softmax(logits, dim=-1), keys, values):
        score, token = row.topk(beams)
        scores.append(score)
        tokens.append(token)
        ks += [key] * beams
        vs += [value] * beams
    return torch.stack(scores), torch.stack(tokens), torch.stack(ks), torch.stack(vs)


def beam_step(scores, logits, keys, values, finished, eos):
    beams = scores.shape[1]
    steps = []
    for b in range(len(scores)):
        own = slice(b * beams, (b + 1) * beams)
        step = BeamSearch(scores[b], finished[b], eos).advance(logits[own])
        steps.append((*step, keys[own][step[2]], values[own][step[2]]))
    *small, new_keys, new_values = zip(*steps)
    return (*map(torch.stack, small), torch.cat(new_keys), torch.cat(new_values))


def trace_back(tokens, parents):
    samples = []
    for token, parent in zip(tokens.unbind(1), parents.unbind(1)):
        sequence = token[:1]
        for step in range(1, len(token)):
            sequence = torch.cat([sequence[:, parent[step]], token[step : step + 1]])
        samples.append(sequence.T)
    return torch.stack(samples)


def length_penalty(length, alpha):
    return ((5 + length) ** alpha) / ((5 + 1) ** alpha)


def best_sequence(sequences, scores, lengths, alpha):
    final = scores / length_penalty(lengths, alpha)
    best = [int(row.argmax()) for row in final]
    return (
        torch.stack([sequences[b, k] for b, k in enumerate(best)]),
        torch.stack([final[b, k] for b, k in enumerate(best)]),
    )
