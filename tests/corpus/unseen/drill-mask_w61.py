import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

# bootcamp: attention, day 2


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # one row of ones per sentence, filled up with False
    rows = []
    for n in lengths.tolist():
        n = min(n, max_length)
        rows.append(torch.ones(n, dtype=torch.bool, device=lengths.device))
    return pad_sequence(rows, batch_first=True, padding_value=False)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask.unsqueeze(1).unsqueeze(2).expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask: Tensor) -> Tensor:
    length = mask.shape[-1]
    causal = causal_mask(length).to(mask.device)
    return key_mask(mask) & causal


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device)
    return bias.masked_fill(mask == 0, float("-inf"))
