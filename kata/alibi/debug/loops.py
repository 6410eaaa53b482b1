import torch


def slopes(heads):
    power = 1
    while power * 2 <= heads:
        power *= 2
    out = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    i = 1
    while len(out) < heads:
        out.append(2 ** (-4 * i / power))
        i += 2
    return torch.tensor(out)


def bias(heads, query_length, key_length):
    m = slopes(heads)
    out = torch.full((heads, query_length, key_length), float("-inf"))
    for h in range(heads):
        for i in range(query_length):
            here = key_length - query_length + i
            for j in range(here + 1):
                out[h, i, j] = -m[h] * (here - j)
    return out


def attention(query, key, value):
    B, H, Q, D = query.shape
    b = bias(H, Q, key.shape[2]).to(query)
    rows = []
    for i in range(Q):
        s = (key @ query[:, :, i, :, None]).squeeze(-1) * D**-0.5 + b[:, i]
        rows.append((s.softmax(-1)[..., None] * value).sum(-2))
    return torch.stack(rows, 2)
