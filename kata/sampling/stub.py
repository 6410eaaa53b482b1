# attn-kata: sampling
from __future__ import annotations

import torch
from torch import Tensor

# What an LLM server does between the model's logits and the next token. `logits` is (batch, vocab),
# one row for each sequence, and no two of a row are equal. What is handed in stays unchanged.


def penalize(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Repetition penalty: make the tokens that a sequence already has less likely.

    logits   (batch, vocab), any float dtype
    tokens   (batch, length), whole numbers from 0 to vocab - 1: what each sequence has so far
    penalty  1 or more
    returns  (batch, vocab): a seen token's logit is divided by the penalty where it is positive
             and multiplied where it is negative, once, however often the token occurs
    """
    raise NotImplementedError("write me")


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row.

    k        from 1 to vocab
    returns  (batch, vocab): the logits, -inf at all other tokens
    """
    raise NotImplementedError("write me")


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the nucleus: the fewest likeliest tokens whose probabilities add up to p or more.

    p        above 0, at most 1
    returns  (batch, vocab): the logits, -inf outside of the nucleus. The token with which the sum
             reaches p belongs to it, so that one is always left
    """
    raise NotImplementedError("write me")


def keep_min_p(logits: Tensor, p: float) -> Tensor:
    """Keep the tokens whose probability is at least p times that of their row's likeliest.

    p        from 0 to 1
    returns  (batch, vocab): the logits, -inf at all other tokens
    """
    raise NotImplementedError("write me")


def next_token_probs(
    logits: Tensor,
    tokens: Tensor,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    penalty: float = 1.0,
) -> Tensor:
    """What the next token is drawn from: all of the above, and a temperature.

    The order: penalty, temperature (logits divided by it), top-k, top-p, min-p; each filter sees
    what the one before has left. top_k = 0 keeps all tokens, the other defaults change nothing.

    temperature  above 0
    returns      (batch, vocab): probabilities, 0 where a token is hidden; each row adds up to 1
    """
    raise NotImplementedError("write me")


def draw(probs: Tensor, uniform: Tensor) -> Tensor:
    """Draw one token for each row by the inverse of the cumulative sum.

    probs    (batch, vocab); each row adds up to 1
    uniform  (batch,), numbers from 0 to below 1, one for each row
    returns  (batch,), integers: the first token, by its number in the vocabulary, at which the
             running sum of the row's probabilities is above the row's number
    """
    raise NotImplementedError("write me")
