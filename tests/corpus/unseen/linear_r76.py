import torch


def phi(x):
    # elu(x) + 1; exp only ever sees numbers up to 0
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


class Engine:
    """Numerator and denominator in one product: a column of ones stands beside the values."""

    READERS = {
        "all": lambda q, k, v: torch.einsum("bhnd,bhde->bhne", q, torch.einsum("bhnd,bhne->bhde", k, v)),
        "past": lambda q, k, v: torch.einsum(
            "bhnd,bhnde->bhne", q, (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=2)
        ),
    }

    def __init__(self, mode):
        self.read = self.READERS[mode]

    def __call__(self, query, key, value):
        extended = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
        both = self.read(phi(query), phi(key), extended)
        return both[..., :-1] / both[..., -1:]


_full, _causal = Engine("all"), Engine("past")


def linear_attention(query, key, value):
    return _full(query, key, value)


def causal_linear_attention(query, key, value):
    return _causal(query, key, value)
