import torch

def share_keys(key, heads):
    B, T, hs = key.shape
    return key.view(B, 1, T, hs).expand(B, heads, T, hs) # no memory moves here

def silence_head(key, heads, head):
    out = share_keys(key, heads).clone(memory_format=torch.contiguous_format)
    out[:, head] = 0 # this one goes quiet
    return out

def repeat_kv(key, repeats):
    B, nkv, T, hs = key.shape
    # every kv head now serves `repeats` query heads
    return torch.cat([key] * repeats, dim=1)

def add_slopes(scores, slopes):
    nh = slopes.size(0)
    return scores + slopes.view(nh, 1, 1) # (B, nh, T, T) + (nh, 1, 1)

def distances(positions):
    return positions[None, :] - positions[:, None] # (T, T)
