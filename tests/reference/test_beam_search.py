"""Beam search, held against a model without beams, and against a loop over candidates."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from attn_kata.reference.beam_search import beam_step, best_sequence, start_beams, trace_back

VOCAB, EOS, STEPS = 4, 1, 4
TABLE = torch.randn(5**STEPS, VOCAB, generator=torch.Generator().manual_seed(0)).double()


def model(keys):
    """Logits by all that a row has had: its cache holds its tokens, and each history differs."""
    places = 0
    for token in keys[:, 0, :, 0].long().unbind(-1):
        places = 5 * places + token + 1
    return TABLE[places % len(TABLE)]


def grown(keys, tokens):
    """The caches with the tokens behind them."""
    return torch.cat([keys, tokens.view(-1, 1, 1, 1).double()], dim=2)


def searched(prompts, beams):
    """The whole search: sequences and scores of each sample's last beams."""
    keys = torch.tensor(prompts).view(-1, 1, 1, 1).double()
    scores, tokens, keys, values = start_beams(model(keys), keys, -keys, beams)
    finished, steps = tokens == EOS, [(tokens, torch.zeros_like(tokens))]
    for _ in range(STEPS - 1):
        keys = grown(keys, tokens)
        values = grown(values, -tokens)
        found = beam_step(scores, model(keys), keys, values, finished, EOS)
        scores, tokens, parents, finished, keys, values = found
        assert torch.equal(keys, -values)
        steps.append((tokens, parents))
    return trace_back(*map(torch.stack, zip(*steps, strict=True))), scores


def likelihood(prompt, sequence):
    """The log-probability of a sequence until its end; None where anything but eos follows it."""
    keys, total = torch.tensor([[[[float(prompt)]]]]), 0.0
    for place, token in enumerate(sequence):
        if EOS in sequence[:place]:
            if token != EOS:
                return None
            continue
        total += float(model(keys).log_softmax(-1)[0, token])
        keys = grown(keys, torch.tensor([token]))
    return total


@pytest.mark.parametrize("prompts", [[0], [2, 0, 3]])
def test_scores_are_those_of_whole_sequences(prompts):
    """Each beam's score is its own sequence's, which a model without beams gives; none is twice."""
    sequences, scores = searched(prompts, VOCAB)
    for prompt, rows, row_scores in zip(prompts, sequences.tolist(), scores.tolist(), strict=True):
        for sequence, score in zip(rows, row_scores, strict=True):
            assert score == pytest.approx(likelihood(prompt, sequence))
        assert row_scores == sorted(row_scores, reverse=True)
        assert len({*map(tuple, rows)}) == len(rows)


def test_one_beam_is_greedy():
    """One beam takes the likeliest token each time, and eos ever after."""
    sequences, _ = searched([0, 2], 1)
    for prompt, (sequence,) in zip([0, 2], sequences.tolist(), strict=True):
        for place in range(STEPS):
            before = sequence[:place]
            keys = torch.tensor([prompt, *before]).view(1, 1, -1, 1).double()
            wanted = EOS if EOS in before else int(model(keys).argmax())
            assert sequence[place] == wanted


def test_step_takes_the_best_of_all_candidates():
    """Against a list of all candidates, sorted; a finished beam has one, at no cost."""
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(3, 2, generator=generator)
    logits = torch.randn(6, VOCAB, generator=generator)
    finished = torch.tensor([[False, False], [True, False], [True, True]])
    keys = torch.arange(6.0).view(6, 1, 1, 1)
    found = beam_step(scores, logits, keys, keys, finished, EOS)
    log_probs = logits.log_softmax(-1)
    for sample in range(3):
        candidates = [
            (float(scores[sample, beam] + (0 if done else log_probs[2 * sample + beam, token])),
             token, beam, done or token == EOS, 2 * sample + beam)
            for beam, token in product(range(2), range(VOCAB))
            if not (done := bool(finished[sample, beam])) or token == EOS
        ]  # fmt: skip
        best = sorted(candidates, reverse=True)[:2]
        made = [one[sample].tolist() for one in found[:4]]
        made.append(found[4].flatten()[2 * sample : 2 * sample + 2].tolist())
        for got, wanted in zip(made, zip(*best, strict=True), strict=True):
            assert got == pytest.approx(list(wanted))


def test_length_penalty():
    """A longer sequence overtakes a shorter one, and at alpha 0 does not."""
    sequences = torch.arange(6).view(1, 2, 3)
    scores, lengths = torch.tensor([[-1.0, -1.2]]), torch.tensor([[1, 3]])
    best, score = best_sequence(sequences, scores, lengths, 1.0)
    assert best.tolist() == [[3, 4, 5]]
    assert score.item() == pytest.approx(-1.2 / (8 / 6))
    assert best_sequence(sequences, scores, lengths, 0.0)[0].tolist() == [[0, 1, 2]]
