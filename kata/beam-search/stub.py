# attn-kata: beam-search
from __future__ import annotations

import torch
from torch import Tensor

# Beam search with a model that keeps a KV cache; the brief has the loop around these functions. The
# model knows no beams: beam k of sample b is row b * beams + k of what it takes and gives. No two
# scores or logits are equal, and what is handed in stays unchanged.


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Make the first beams of what the model gave for the prompts, one row for each sample.

    logits        (batch, vocab), of the prompt's last position
    keys, values  (batch, heads, cache_length, head_dim), the prompts' cache
    beams         from 1 to vocab
    returns       four tensors: scores, the log-probabilities of each sample's likeliest tokens,
                  and these tokens, both (batch, beams), the likeliest first; keys and values with
                  the sample's row for each beam, (batch * beams, heads, cache_length, head_dim)
    """
    raise NotImplementedError("write me")


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Lengthen all beams by one token.

    A candidate is a beam and a token; its score is the beam's score plus the token's
    log-probability. A finished beam has one candidate, the token eos, which costs nothing. Each
    sample keeps the best `beams` of the candidates of all its beams.

    scores        (batch, beams), what each beam has so far, in any order
    logits        (batch * beams, vocab), of each beam's next token
    keys, values  (batch * beams, heads, cache_length, head_dim), each beam's cache
    finished      (batch, beams), True where a beam has had eos
    eos           the number of the end token
    returns       six tensors: scores, tokens, parents and finished of the new beams, all (batch,
                  beams), the best first, and their keys and values, shaped as before. A parent is
                  the beam from which a new one comes, 0 to beams - 1; its cache is taken over
    """
    raise NotImplementedError("write me")


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    """Read the sequences of the last step's beams from what all steps gave.

    tokens   (steps, batch, beams), whole numbers: the token that each beam took at each step
    parents  (steps, batch, beams), whole numbers from 0 to beams - 1: the beam of the step before
             from which it came. parents[0] says nothing, as no step was before the first
    returns  (batch, beams, steps): of each beam of the last step all its tokens, the first in front
    """
    raise NotImplementedError("write me")


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    """Choose the best sequence of each sample: that with the highest penalized score.

    The penalized score is score / ((5 + length) / 6) ** alpha.

    sequences  (batch, beams, steps), whole numbers
    scores     (batch, beams)
    lengths    (batch, beams), whole numbers from 1 to steps: how many tokens each has
    alpha      0 or more
    returns    (batch, steps), the best one whole; and (batch,), its penalized score
    """
    raise NotImplementedError("write me")
