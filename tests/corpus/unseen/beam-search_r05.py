# attn-kata: beam-search
from __future__ import annotations

from dataclasses import dataclass
from typing import List, Tuple

import torch
from torch import Tensor


@dataclass(frozen=True)
class KVCache:
    """Immutable pair of key and value tensors. The first axis holds the rows."""

    keys: Tensor
    values: Tensor

    def select_rows(self, rows: Tensor) -> "KVCache":
        """Returns a new cache that holds copies of the given rows."""
        return KVCache(self.keys.index_select(0, rows), self.values.index_select(0, rows))


class BeamLayout:
    """Knows how beams are laid out in the rows of the model: row = sample * beams + beam."""

    def __init__(self, batch: int, beams: int, device: torch.device) -> None:
        self.batch = batch
        self.beams = beams
        self.device = device

    def sample_of_each_row(self) -> Tensor:
        return torch.arange(self.batch * self.beams, device=self.device) // self.beams

    def rows_of(self, parents: Tensor) -> Tensor:
        first_row = torch.arange(0, self.batch * self.beams, self.beams, device=self.device)
        return (first_row.view(self.batch, 1) + parents).reshape(-1)


class CandidateList:
    """All candidates of all samples. Column 0 .. V-1 extends a beam, column V keeps a finished one."""

    def __init__(self, scores: Tensor, log_probs: Tensor, finished: Tensor, eos: int) -> None:
        minus_inf = torch.full_like(scores, -float("inf"))
        # What an open beam may become.
        extended = scores.unsqueeze(2) + log_probs
        extended = extended.masked_fill(finished.unsqueeze(2), -float("inf"))
        # What a finished beam stays.
        kept = torch.where(finished, scores, minus_inf).unsqueeze(2)
        self._all = torch.cat([extended, kept], dim=2)
        self._vocab = log_probs.size(2)
        self._eos = eos

    def best(self, count: int) -> Tuple[Tensor, Tensor, Tensor]:
        """Returns scores, parents and tokens of the best candidates, the best first."""
        width = self._vocab + 1
        scores, places = self._all.flatten(start_dim=1).sort(dim=1, descending=True)
        scores, places = scores[:, :count], places[:, :count]
        parents = places // width
        columns = places - parents * width
        tokens = torch.where(columns == self._vocab, torch.full_like(columns, self._eos), columns)
        return scores, parents, tokens


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    layout = BeamLayout(logits.size(0), beams, logits.device)
    # The logarithm of the softmax, computed in the stable way.
    log_probs = torch.log_softmax(logits, dim=-1)
    scores, tokens = torch.topk(log_probs, k=beams, dim=-1, largest=True, sorted=True)
    cache = KVCache(keys, values).select_rows(layout.sample_of_each_row())
    return scores, tokens, cache.keys, cache.values


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.size()
    layout = BeamLayout(batch, beams, scores.device)
    log_probs = torch.log_softmax(logits, dim=-1).reshape(batch, beams, logits.size(1))
    new_scores, parents, tokens = CandidateList(scores, log_probs, finished, eos).best(beams)
    parent_finished = torch.gather(finished, dim=1, index=parents)
    new_finished = torch.logical_or(parent_finished, torch.eq(tokens, eos))
    cache = KVCache(keys, values).select_rows(layout.rows_of(parents))
    return new_scores, tokens, parents, new_finished, cache.keys, cache.values


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.size()
    result = torch.empty(batch, beams, steps, dtype=torch.int64, device=tokens.device)
    current = torch.arange(beams, device=tokens.device).unsqueeze(0).expand(batch, beams)
    step = steps - 1
    while True:
        result[:, :, step] = torch.gather(tokens[step], 1, current)
        if step == 0:
            return result
        current = torch.gather(parents[step].to(torch.int64), 1, current)
        step -= 1


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float) -> Tuple[Tensor, Tensor]:
    chosen: List[Tensor] = []
    penalized_scores: List[Tensor] = []
    for sample in range(scores.size(0)):
        penalty = torch.pow(torch.div(lengths[sample].to(torch.float64) + 5.0, 6.0), alpha)
        penalized = scores[sample] / penalty
        index = int(torch.argmax(penalized).item())
        chosen.append(sequences[sample, index, :])
        penalized_scores.append(penalized[index])
    return torch.stack(chosen, dim=0), torch.stack(penalized_scores, dim=0)
