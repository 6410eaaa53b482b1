# attn-kata: beam-search
from __future__ import annotations

import torch
from torch import Tensor
import torch.nn.functional as F


def gnmt_penalty(lengths: Tensor, alpha: float) -> Tensor:
    return ((5 + lengths.long()) // 6).double() ** alpha


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    def fan_out(cache: Tensor) -> Tensor:
        return torch.cat([row[None].repeat(beams, 1, 1, 1) for row in cache])

    top = F.log_softmax(logits, dim=-1).topk(beams, dim=-1)
    return top.values, top.indices, fan_out(keys), fan_out(values)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    log_p = F.log_softmax(logits, dim=-1).reshape(batch, beams, vocab)

    def one_sample(b: int):
        totals = scores[b].unsqueeze(1) + log_p[b]
        kept = torch.full_like(totals, float("-inf"))
        kept[:, eos] = scores[b]
        totals = torch.where(finished[b].unsqueeze(1), kept, totals)
        best, place = totals.flatten().topk(beams)
        parent, token = place // vocab, place % vocab
        done = finished[b][parent] | (token == eos)
        rows = slice(b * beams, (b + 1) * beams)
        return best, token, parent, done, keys[rows][parent], values[rows][parent]

    new_scores, tokens, parents, done, k, v = zip(*map(one_sample, range(batch)))
    return (
        torch.stack(new_scores), torch.stack(tokens), torch.stack(parents), torch.stack(done),
        torch.cat(k), torch.cat(v),
    )


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape

    def walk(step: int, beam: Tensor) -> list[Tensor]:
        out = []
        while step > 0:
            out.append(tokens[step].gather(1, beam))
            beam = parents[step].long().gather(1, beam)
            step -= 1
        out.append(tokens[0].gather(1, beam))
        return out[::-1]

    start = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    return torch.stack(walk(steps - 1, start), dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / gnmt_penalty(lengths, alpha)
    value, index = penalized.max(dim=-1)
    picked = sequences.gather(1, index[:, None, None].expand(-1, 1, sequences.shape[-1]))
    return picked[:, 0], value
