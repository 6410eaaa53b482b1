# wrong: sdpa scale-by-length line 8
# fair: scale-by-length 8, 9
import torch


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask=None, causal: bool = False):
    # query: B H T D
    dk = key.size(2)
    energy = query.matmul(key.transpose(2, 3)).div(dk ** 0.5)
    if mask is not None:
        energy.masked_fill_(mask == 0, -1e20)
    if causal:
        tq, tk = energy.shape[2:]
        energy.masked_fill_(torch.tril(torch.ones(tq, tk, device=energy.device), tk - tq) == 0, -1e20)
    return energy.softmax(3).matmul(value)
