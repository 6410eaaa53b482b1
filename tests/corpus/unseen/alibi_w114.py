import math
import torch
import torch.nn.functional as F

# ALiBi for nanoGPT: throw wpe away, add this to att instead

def slopes(heads):
    n = 2 ** int(math.log2(heads))
    s = [2 ** (-8 * i / n) for i in range(1, n + 1)]
    if n < heads: # not a power of two: interleave the next one
        more = [2 ** (-8 * i / (2 * n)) for i in range(1, 2 * n + 1)]
        s = s + more[::2][:heads - n]
    return torch.tensor(s, dtype=torch.float32)

def bias(heads, query_length, key_length):
    pos_q = torch.arange(query_length) + (key_length - query_length)
    pos_k = torch.arange(key_length)
    dist = pos_q.view(-1, 1) - pos_k.view(1, -1) # (T, S)
    out = -slopes(heads).view(-1, 1, 1) * dist # (nh, T, S)
    return out.masked_fill(dist < 0, float('-inf'))

def attention(query, key, value):
    B, nh, T, hs = query.size()
    S = key.size(2)
    att = query.float() @ key.float().transpose(-2, -1) if query.dtype in (torch.half, torch.bfloat16) else query @ key.transpose(-2, -1)
    att = att + bias(nh, T, S).to(att.device, att.dtype) # (B, nh, T, S)
    att = att * (1.0 / math.sqrt(hs))
    att = F.softmax(att, dim=-1)
    y = att @ value.to(att.dtype) # (B, nh, T, S) x (B, nh, S, hs) -> (B, nh, T, hs)
    return y.to(query.dtype)
