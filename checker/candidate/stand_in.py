"""A model that stands in for a person's own where a function that takes one is judged.

It is told from any other by its numbers alone, and is no transformer: what a training loop or a
sampler gets wrong shows with any model, and what is wrong with a person's own shows elsewhere.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["CachedStandIn", "StandIn", "listed", "stand_in"]

# Logits that no temperature in use brings together: the likeliest token is nearly certain.
_APART = 3.0


class StandIn(nn.Module):
    """Logits from a token, the mean of those before it, and its place.

    weight is (block_size + vocab_size, vocab_size): a row for each place, then for each token. They
    are several parameters, as what is done to each by itself is not what is done to all together:
    the first place's is a vector, called as a bias is, which some would keep from weight decay.
    sharp: logits that are multiples of 3, all different. In train mode every other logit is
    dropped, always the same ones; it comes in the mode that it is not to be used in, a sharp one,
    which is for text, in train mode. Tokens are (batch, length); more of them than there are places
    raise IndexError, as a position table does.
    """

    def __init__(self, weight: Tensor, *, sharp: bool) -> None:
        super().__init__()
        self.vocab_size = weight.shape[1]
        self.block_size = weight.shape[0] - weight.shape[1]
        self.sharp = sharp
        places, tokens = weight.detach().split([self.block_size, self.vocab_size])
        self.bias, self.places = nn.Parameter(places[0].clone()), nn.Parameter(places[1:].clone())
        self.tokens = nn.Parameter(tokens.clone())
        self.train(sharp)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits, (batch, length, vocab_size)."""
        length = tokens.shape[1]
        if length > self.block_size:
            raise IndexError(f"{length} tokens are more than the block size, {self.block_size}")
        rows = self.tokens[tokens]
        counted = torch.arange(1, length + 1, device=tokens.device).view(1, -1, 1)
        places = torch.cat([self.bias[None], self.places])
        logits = rows + rows.cumsum(1) / counted + places[:length]
        if self.training:
            logits = logits * 2 * (torch.arange(self.vocab_size, device=tokens.device) % 2)
        if not self.sharp:
            return logits
        return logits.argsort(-1).argsort(-1).to(logits.dtype) * _APART


class CachedStandIn(StandIn):
    """The same, called with the newest tokens and what the call before gave back beside its logits.

    It counts the positions that it was given. Where one was given again it takes other tokens for
    the likeliest, so that text for which work was done twice is another text.
    """

    def __init__(self, weight: Tensor) -> None:
        super().__init__(weight, sharp=True)
        self.given = 0

    def forward(self, tokens: Tensor, *cache: object, **named: object) -> tuple[Tensor, Tensor]:  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the new positions' logits, (batch, length, vocab_size), and a cache.

        The cache goes by whatever name it is given. One of anybody's own is an empty one: what is
        in it was not made by this model.
        """
        past = [one for one in (*cache, *named.values()) if isinstance(one, Tensor)]
        text = torch.cat([*past[:1], tokens], dim=1)
        self.given += tokens.shape[1]
        logits = super().forward(text)[:, -tokens.shape[1] :]
        return logits.roll(1, -1) if self.given > text.shape[1] else logits, text


def stand_in(weight: Tensor, kind: str) -> StandIn:
    """Return a model of a kind: plain, sharp or cached."""
    return CachedStandIn(weight) if kind == "cached" else StandIn(weight, sharp=kind == "sharp")


def listed(result: object) -> object:
    """Return a list of numbers, or of tensors with one each, as a tensor; what else comes as it is.

    In float64, on the CPU.
    """
    if not isinstance(result, (list, tuple)) or not result:
        return result
    numbers: list[float] = []
    for one in result:
        if isinstance(one, Tensor) and one.numel() == 1:
            numbers.append(float(one.detach()))
        elif isinstance(one, (int, float)):
            numbers.append(float(one))
        else:
            return result
    return torch.tensor(numbers, dtype=torch.float64)
