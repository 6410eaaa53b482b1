import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    drafted = len(back)
    rows = []
    for i in range(drafted):
        own = torch.zeros(drafted, dtype=torch.bool, device=back.device)
        own[i] = True
        j = i - int(back[i])
        if j != -1:
            own = own | rows[j]
        rows.append(own)
    return torch.stack(rows)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    b, h, n, d = query.shape
    prefix_len = key.shape[2] - n
    draft = tree_mask(back)
    prefix = torch.ones(n, prefix_len, dtype=torch.bool, device=draft.device)
    visible = torch.cat((prefix, draft), dim=1)
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) / d ** 0.5
    logits = torch.where(visible, logits, torch.full_like(logits, float("-inf")))
    return torch.einsum("bhqk,bhkd->bhqd", torch.softmax(logits, -1), value)
