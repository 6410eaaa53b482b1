import torch
from torch import Tensor


class OnlineSoftmax:
    """Running maximum, denominator and numerator of every query."""

    def __init__(self, query: Tensor):
        shape = query.shape[:-1]
        self.largest = query.new_full(shape, float("-inf"))
        self.total = query.new_zeros(shape)
        self.numerator = torch.zeros_like(query)

    def update(self, scores: Tensor, value: Tensor) -> None:
        largest = torch.maximum(self.largest, scores.amax(-1))
        shrink = torch.exp(self.largest - largest)
        p = torch.exp(scores - largest.unsqueeze(-1))
        self.total = shrink * self.total + p.sum(-1)
        self.numerator = shrink.unsqueeze(-1) * self.numerator + p @ value
        self.largest = largest

    def result(self) -> Tensor:
        return self.numerator / self.total.unsqueeze(-1)


class Tiles:
    def __init__(self, key: Tensor, value: Tensor, size: int):
        self.key, self.value, self.size = key, value, size

    def __iter__(self):
        for start in range(0, self.key.shape[-2], self.size):
            stop = start + self.size
            yield start, self.key[..., start:stop, :], self.value[..., start:stop, :]


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    state = OnlineSoftmax(query)
    scaled = query * query.shape[-1] ** -0.5
    rows = torch.arange(query.shape[-2], device=query.device).unsqueeze(1)
    for start, k, v in Tiles(key, value, block_size):
        scores = scaled @ k.transpose(-2, -1)
        if causal:
            columns = torch.arange(k.shape[-2], device=query.device)
            scores = scores.masked_fill(columns > rows, float("-inf"))
        state.update(scores, v)
    return state.result()
