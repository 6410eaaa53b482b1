import math
import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Transitive closure by squaring: (I + A)^2, ^4, ^8 ... where A has a 1 at each child's parent."""
    n = back.numel()
    i = torch.arange(n, device=back.device)
    j = i - back.long()
    child, parent = i[j >= 0], j[j >= 0]
    reach = torch.eye(n, device=back.device)
    reach = reach.index_put((child, parent), torch.ones_like(child, dtype=reach.dtype))
    for _ in range(max(1, math.ceil(math.log2(n + 1)))):
        reach = (reach @ reach).clamp(max=1)
    return reach > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    up = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(up), key.to(up), value.to(up)
    drafted, d = q.shape[-2:]
    prefix = k.shape[-2] - drafted
    scores = torch.matmul(q / math.sqrt(d), k.transpose(-2, -1))
    before, among = scores.split([prefix, drafted], dim=-1)
    among = among.masked_fill(~tree_mask(back).to(q.device), -torch.inf)
    # both parts by themselves, joined by their log-sum-exps; the diagonal keeps the second from being empty
    total = torch.logaddexp(before.logsumexp(-1, keepdim=True), among.logsumexp(-1, keepdim=True))
    out = (before - total).exp() @ v[..., :prefix, :] + (among - total).exp() @ v[..., prefix:, :]
    return out.to(query.dtype)
