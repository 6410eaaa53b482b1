import torch


def slopes(heads: int):
    import math

    k = math.floor(math.log2(heads))
    first = [2 ** (-(2 ** (3 - k)) * i) for i in range(1, 2**k + 1)]
    rest = [2 ** (-(2 ** (2 - k)) * i) for i in range(1, 2 ** (k + 1) + 1, 2)]
    return torch.FloatTensor((first + rest)[:heads])


def bias(heads: int, query_length: int, key_length: int):
    q = torch.arange(query_length).add(key_length - query_length)
    k = torch.arange(key_length)
    grid_q, grid_k = torch.meshgrid(q, k, indexing="ij")
    behind = (grid_q - grid_k).float()
    offsets = -behind * slopes(heads)[:, None, None]
    offsets[:, behind < 0] = -float("inf")
    return offsets


def attention(query, key, value):
    scale = query.size(-1) ** -0.5
    z = scale * (query.unsqueeze(3) * key.unsqueeze(2)).sum(-1)
    z = z + bias(z.size(1), z.size(2), z.size(3)).to(z.device, z.dtype)
    z = torch.exp(z - z.amax(-1, keepdim=True))
    return (z / z.sum(-1, keepdim=True)) @ value
