import torch


def share_keys(key, heads):
    b, n, d = key.shape
    sb, sn, sd = key.stride()
    return key.as_strided((b, heads, n, d), (sb, 0, sn, sd))


def silence_head(key, heads, head):
    b, n, d = key.shape
    out = key.new_empty((b, heads, n, d))
    out.copy_(key.unsqueeze(1))
    out.select(1, head).zero_()
    return out


def repeat_kv(key, repeats):
    if repeats == 1:
        return key
    idx = torch.arange(key.size(1) * repeats, device=key.device).div_(repeats, rounding_mode="floor")
    return key.index_select(1, idx)


def add_slopes(scores, slopes):
    # heads to the last axis, where (heads,) fits by itself
    return scores.transpose(1, -1).add(slopes).transpose(1, -1)


def distances(positions):
    n = positions.numel()
    out = torch.empty(n, n, dtype=positions.dtype, device=positions.device)
    return torch.sub(positions.view(1, n), positions.view(n, 1), out=out)
