import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, pad


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    keep = (logsigmoid(gate) / 16).exp()
    new_state = torch.einsum("bh,bhde->bhde", keep, state) + torch.einsum("bhd,bhe->bhde", key, value)
    return torch.einsum("bhd,bhde->bhe", query, new_state), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
):
    dtype = query.dtype
    length = query.shape[2]
    chunk_size = min(chunk_size, length)
    extra = -length % chunk_size

    def chunked(x: Tensor) -> Tensor:
        x = x.to(torch.promote_types(x.dtype, torch.float32))
        return pad(x, (0, 0, 0, extra)).unflatten(2, (-1, chunk_size))

    q, k, v = map(chunked, (query, key, value))
    log_keep = logsigmoid(chunked(gate[..., None]).squeeze(-1)) / 16
    run = log_keep.cumsum(-1)

    future = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).triu(1)
    gap = (run[..., :, None] - run[..., None, :]).masked_fill(future, -torch.inf)
    inner = torch.einsum("bhnid,bhnjd,bhnij->bhnij", q, k, gap.exp()) @ v

    written = torch.einsum("bhnj,bhnjd,bhnje->bhnde", (run[..., -1:] - run).exp(), k, v)
    s = state.to(q.dtype)
    found = []
    for n in range(q.shape[2]):
        found.append(s)
        s = s * run[:, :, n, -1, None, None].exp() + written[:, :, n]
    outer = (q * run.exp()[..., None]) @ torch.stack(found, 2)
    out = (inner + outer).flatten(2, 3)[:, :, :length]
    return out.to(dtype), s.to(dtype)
