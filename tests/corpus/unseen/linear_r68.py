"""An associative scan over (S, z): log2(length) doubling steps, as jax.lax.associative_scan would."""
import torch
import torch.nn.functional as F


def feature_map(x):
    return F.elu(x.to(torch.promote_types(x.dtype, torch.float32))) + 1


def prefix_sum(tree, axis):
    """Hillis-Steele, out of place."""
    length = tree[0].shape[axis]
    shift = 1
    while shift < length:
        tree = [
            torch.cat([x.narrow(axis, 0, shift), x.narrow(axis, shift, length - shift) + x.narrow(axis, 0, length - shift)], dim=axis)
            for x in tree
        ]
        shift *= 2
    return tree


def linear_attention(query, key, value):
    q, k = feature_map(query), feature_map(key)
    s = torch.einsum("bhtd,bhtv->bhdv", k, value.to(k.dtype))
    z = torch.einsum("bhtd->bhd", k)
    numerator = torch.einsum("bhtd,bhdv->bhtv", q, s)
    denominator = torch.einsum("bhtd,bhd->bht", q, z)
    return (numerator / denominator[..., None]).to(value.dtype)


def causal_linear_attention(query, key, value):
    q, k = feature_map(query), feature_map(key)
    outer = torch.einsum("bhtd,bhtv->bhtdv", k, value.to(k.dtype))
    s, z = prefix_sum([outer, k], axis=2)
    numerator = torch.einsum("bhtd,bhtdv->bhtv", q, s)
    denominator = torch.einsum("bhtd,bhtd->bht", q, z)
    return (numerator / denominator[..., None]).to(value.dtype)


if __name__ == "__main__":
    a = torch.randn(3, 1, 2, 9, 4)
    print(causal_linear_attention(*a)[:, :, -1] - linear_attention(*a)[:, :, -1])
