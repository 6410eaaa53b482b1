# wrong: alibi alibi-slopes-from-zero line 7
# fair: alibi-slopes-from-zero 7, 12, 14, 15
import torch


def power(n: int) -> list[float]:
    return [2 ** (-8 * i / n) for i in range(n)]


def slopes(heads: int) -> torch.Tensor:
    n = 1 << (heads.bit_length() - 1)
    got = power(n)
    if n < heads:
        got = got + power(2 * n)[::2]
    return torch.tensor(got[:heads])


def bias(heads: int, query_length: int, key_length: int) -> torch.Tensor:
    place = torch.arange(key_length)
    gap = place[-query_length:].unsqueeze(-1) - place
    return (-slopes(heads).view(-1, 1, 1) * gap).masked_fill(gap < 0, -torch.inf)


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    scores += bias(query.size(1), query.size(2), key.size(2)).to(scores)
    return torch.softmax(scores, dim=-1) @ value
