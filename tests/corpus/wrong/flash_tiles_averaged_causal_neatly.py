# wrong: flash normalised-per-tile line 19
# fair: normalised-per-tile 19, 20
import torch


def flash_attention(query, key, value, block_size, causal=False):
    length, width = query.shape[-2:]
    places = torch.arange(length, device=query.device)
    gathered = torch.zeros_like(query)
    counted = query.new_zeros(length, 1)
    for begin in range(0, length, block_size):
        end = min(begin + block_size, length)
        scores = query @ key[..., begin:end, :].mT * width**-0.5
        sees = query.new_ones(length, 1)
        if causal:
            ahead = places[begin:end] > places[:, None]
            sees = (~ahead.all(-1, keepdim=True)).to(query.dtype)
            scores = scores.masked_fill(ahead & (sees > 0), -torch.inf)
        shares = torch.softmax(scores, -1)
        gathered = gathered + sees * (shares @ value[..., begin:end, :])
        counted = counted + sees
    return gathered / counted
