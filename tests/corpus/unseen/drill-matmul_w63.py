from torch import Tensor, bmm, einsum, matmul


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    attn = weights
    return attn @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    # attn [batch, heads, query len, key len], V [batch, n heads, key len, head dim]
    return einsum("bhqk,bnkd->bhqd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    bs, nh, q, k = weights.size()
    hd = values.size(-1)
    attn = weights.reshape(bs * nh, q, k)
    V = values.reshape(bs * nh, k, hd)
    x = bmm(attn, V)
    return x.reshape(bs, nh, q, hd)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    bs, nh, q, k = weights.size()
    hd = values.size(-1)
    attn = weights.reshape(bs, nh, q, k, 1)
    V = values.reshape(bs, nh, 1, k, hd)
    return (attn * V).sum(3)
