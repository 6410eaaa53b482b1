import torch

# weights: (B, H, Q, K)   values: (B, H, K, D)


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    out = torch.matmul(weights, values)
    return out


def by_einsum(weights, values):
    # q,k against k,d: the repeated k is summed away, the rest stays
    return torch.einsum("...qk,...kd", weights, values)


def by_bmm(weights, values):
    B, H, Q, K = weights.shape
    D = values.shape[3]
    A = weights.reshape((B * H, Q, K))
    C = values.reshape((B * H, K, D))
    return torch.bmm(A, C).reshape((B, H, Q, D))


def by_broadcast(weights, values):
    A = weights[:, :, :, :, None]
    C = values[:, :, None, :, :]
    return torch.multiply(A, C).sum(axis=3)
