# attn-kata: gated-linear
import torch
import torch.nn.functional as F
from torch import Tensor


def _log_decay(gate: Tensor, dtype: torch.dtype) -> Tensor:
    return F.logsigmoid(gate.to(dtype)).mul(0.0625)


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    dtype = torch.promote_types(state.dtype, torch.float32)
    a = _log_decay(gate, dtype).exp()
    S = a[..., None, None] * state.to(dtype) + torch.einsum("...d,...e->...de", key.to(dtype), value.to(dtype))
    o = torch.einsum("...d,...de->...e", query.to(dtype), S)
    return o.to(value.dtype), S.to(state.dtype)


class ChunkedScan:
    def __init__(self, chunk_size: int, device: torch.device):
        self.size = chunk_size
        self.tril = torch.ones(chunk_size, chunk_size, device=device, dtype=torch.bool).tril()

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, g: Tensor, S: Tensor):
        n = q.shape[-2]
        b = g.cumsum(-1)
        D = torch.exp(b.unsqueeze(-1) - b.unsqueeze(-2)).masked_fill(~self.tril[:n, :n], 0.0)
        o_intra = torch.einsum("...id,...jd,...ij,...je->...ie", q, k, D, v)
        o_inter = b.exp().unsqueeze(-1) * torch.einsum("...id,...de->...ie", q, S)
        kept = b[..., -1].exp()[..., None, None] * S
        written = torch.einsum("...jd,...j,...je->...de", k, (b[..., -1:] - b).exp(), v)
        return o_intra + o_inter, kept + written


def gated_linear_attention(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int):
    dtype = torch.promote_types(query.dtype, torch.float32)
    L = query.shape[2]
    scan = ChunkedScan(min(chunk_size, L), query.device)
    q, k, v, S = query.to(dtype), key.to(dtype), value.to(dtype), state.to(dtype)
    g = _log_decay(gate, dtype)
    output = []
    for start in range(0, L, chunk_size):
        span = slice(start, start + chunk_size)
        o, S = scan(q[:, :, span], k[:, :, span], v[:, :, span], g[:, :, span], S)
        output.append(o)
    return torch.cat(output, dim=2).to(value.dtype), S.to(state.dtype)
