"""Walks the table block by block with a running softmax, as a kernel would."""
import torch


class RunningSoftmax:
    def __init__(self, heads, dim, like):
        self.m = like.new_full((heads, 1), float("-inf"))
        self.l = like.new_zeros((heads, 1))
        self.acc = like.new_zeros((heads, dim))

    def update(self, scores, values):
        # scores (heads, n), values (heads, n, dim), n >= 1
        m_new = torch.maximum(self.m, scores.max(dim=1, keepdim=True).values)
        alpha = torch.exp(self.m - m_new)
        p = torch.exp(scores - m_new)
        self.l = self.l * alpha + p.sum(1, keepdim=True)
        self.acc = self.acc * alpha + torch.bmm(p.unsqueeze(1), values).squeeze(1)
        self.m = m_new

    def result(self):
        return self.acc / self.l


def pages(table_row, length, block_size):
    """Yield (block number, how many of its places are in use)."""
    left = length
    for number in table_row:
        if left <= 0:
            return
        yield number, min(block_size, left)
        left -= block_size


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    batch, heads, head_dim = query.shape
    block_size, kv_heads = key_pool.shape[1], key_pool.shape[2]
    share = heads // kv_heads
    work = torch.promote_types(query.dtype, torch.float32)
    out = torch.empty(batch, heads, head_dim, dtype=query.dtype, device=query.device)
    for b in range(batch):
        q = query[b].to(work) * head_dim**-0.5
        state = RunningSoftmax(heads, head_dim, q)
        for number, used in pages(block_table[b].tolist(), int(lengths[b]), block_size):
            k = key_pool[number, :used].to(work).transpose(0, 1).repeat_interleave(share, dim=0)
            v = value_pool[number, :used].to(work).transpose(0, 1).repeat_interleave(share, dim=0)
            state.update((k @ q.unsqueeze(-1)).squeeze(-1), v)
        out[b] = state.result()
    return out
