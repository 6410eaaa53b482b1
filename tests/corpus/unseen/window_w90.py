# attn-kata: window
import torch


def window_attention(query, key, value, window):
    length = query.size(2)
    idx = torch.arange(length, device=query.device)
    back = idx.view(-1, 1) - idx.view(1, -1)
    # left, right as FlashAttention has them
    left, right = window, 0
    visible = (back <= left) & (back >= -right)
    bias = torch.zeros(length, length, dtype=query.dtype, device=query.device)
    bias = bias.masked_fill(visible.logical_not(), float("-inf"))
    logits = torch.baddbmm(
        bias.expand(query.size(0) * query.size(1), -1, -1),
        query.flatten(0, 1),
        key.flatten(0, 1).transpose(1, 2),
        alpha=query.size(-1) ** -0.5,
    )
    out = torch.bmm(logits.softmax(-1), value.flatten(0, 1))
    return out.view_as(query)
