import torch
from torch import Tensor


class _Tile:
    __slots__ = ("begin", "end")

    def __init__(self, begin: int, end: int) -> None:
        self.begin, self.end = begin, end


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """C++ manners: flattened batches, tiles of 64 query rows, accumulation in float32 or wider."""
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4 or grad_output.dim() != 4:
        raise ValueError("four axes expected")
    acc = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g = (t.flatten(0, 1).to(acc) for t in (query, key, value, grad_output))
    alpha = q.size(-1) ** -0.5
    off = k.size(1) - q.size(1)
    dq, dk, dv = torch.empty_like(q), torch.zeros_like(k), torch.zeros_like(v)
    cols = torch.arange(k.size(1), device=q.device)
    for tile in (_Tile(b, min(b + 64, q.size(1))) for b in range(0, q.size(1), 64)):
        qi, gi = q[:, tile.begin : tile.end], g[:, tile.begin : tile.end]
        s = torch.bmm(qi, k.transpose(1, 2)).mul_(alpha)
        if causal:
            rows = torch.arange(tile.begin, tile.end, device=q.device).add_(off).unsqueeze_(1)
            s.masked_fill_(cols.gt(rows), torch.finfo(acc).min)
        s.sub_(s.amax(2, keepdim=True)).exp_()
        p = s.div_(s.sum(2, keepdim=True))
        dv.baddbmm_(p.transpose(1, 2), gi)
        dp = torch.bmm(gi, v.transpose(1, 2))
        ds = dp.sub_((dp * p).sum(2, keepdim=True)).mul_(p).mul_(alpha)
        dq[:, tile.begin : tile.end] = torch.bmm(ds, k)
        dk.baddbmm_(ds.transpose(1, 2), qi)
    return tuple(d.view_as(t).to(t.dtype) for d, t in ((dq, query), (dk, key), (dv, value)))
