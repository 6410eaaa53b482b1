import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # one mark at the first place of padding (there is a place for it behind the end), then a running sum
    marks = torch.zeros(len(lengths), max_length + 1, dtype=torch.int32, device=lengths.device)
    marks.scatter_(1, lengths.long().unsqueeze(1), 1)
    return marks.cumsum(1)[:, :-1] == 0


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    step, one = mask.stride()
    return mask.as_strided((batch, heads, length, length), (step, 0, 0, one))


def causal_mask(length: int) -> Tensor:
    i, j = torch.tril_indices(length, length)
    return torch.zeros(length, length, dtype=torch.bool).index_put_((i, j), torch.tensor(True))


def combined_mask(mask: Tensor) -> Tensor:
    return torch.tril(mask[:, None, None, :].expand(-1, 1, mask.shape[1], -1))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores + additive_mask(mask != 0, scores), -1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0, log 0 = -inf
    return mask.to(scores.dtype).log()
