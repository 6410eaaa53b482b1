import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = back.numel()
    i = torch.arange(n, device=back.device)
    parent = i - back.to(i.dtype)
    has = parent >= 0
    # one extra node n: the root behind everything, its own parent
    hop = torch.where(has, parent, n)
    hop = torch.cat([hop, hop.new_tensor([n])])
    reach = torch.eye(n + 1, dtype=torch.bool, device=back.device)
    covered = 1
    while covered < n:
        # pointer doubling: everything my 2^k-th ancestor reaches, I reach as well
        reach = reach | reach[hop]
        hop = hop[hop]
        covered *= 2
    return reach[:n, :n] if n > 1 else torch.ones(n, n, dtype=torch.bool, device=back.device)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    n, total = query.size(2), key.size(2)
    hidden = torch.nn.functional.pad(~tree_mask(back), (total - n, 0), value=False)
    wide = torch.promote_types(query.dtype, torch.float32)
    s = torch.einsum("bhid,bhjd->bhij", query.to(wide), key.to(wide)) * query.size(-1) ** -0.5
    w = s.masked_fill(hidden.to(s.device), -torch.inf).softmax(-1)
    return (w @ value.to(wide)).to(query.dtype)
