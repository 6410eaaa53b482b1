import torch


def by_operator(weights, values):
    result = weights @ values
    return result.type_as(values)


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    return torch.einsum("...qk, ...kd -> ...qd", weights, values)


def by_bmm(weights, values):
    b, h, q, k = weights.shape
    d = values.shape[3]
    # heads before samples, for once: the order of the folded axis is nobody's business
    left = weights.transpose(0, 1).reshape(h * b, q, k)
    right = values.transpose(0, 1).reshape(h * b, k, d)
    out = left.bmm(right)
    return out.view(h, b, q, d).transpose(0, 1)


def by_broadcast(weights, values):
    # keys go last, and are summed away
    by_feature = values.permute(0, 1, 3, 2).unsqueeze(2)           # b h 1 d k
    return (weights.unsqueeze(3) * by_feature).sum(-1)             # b h q d
