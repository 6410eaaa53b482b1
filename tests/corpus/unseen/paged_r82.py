# vLLM's ref_single_query_cached_kv_attention: a loop over sequences, token by token through the table
import torch


def ref_masked_attention(query, key, value, scale):
    # query (heads, d), key and value (n, heads, d)
    wide = torch.promote_types(query.dtype, torch.float32)
    attn_weights = scale * torch.einsum("hd,khd->hk", query.to(wide), key.to(wide))
    attn_weights = torch.softmax(attn_weights, dim=-1)
    return torch.einsum("hk,khd->hd", attn_weights, value.to(wide)).to(query.dtype)


def paged_attention(query, key_pool, value_pool, block_table, lengths):
    num_query_heads = query.shape[1]
    num_kv_heads = key_pool.shape[2]
    head_size = query.shape[2]
    block_size = key_pool.shape[1]
    num_queries_per_kv = num_query_heads // num_kv_heads
    output = torch.empty_like(query)

    block_tables_lst = block_table.cpu().tolist()
    seq_lens_lst = lengths.cpu().tolist()
    for i in range(query.shape[0]):
        table = block_tables_lst[i]
        slots = [table[j // block_size] * block_size + j % block_size for j in range(int(seq_lens_lst[i]))]
        slots = torch.tensor(slots, device=key_pool.device)
        keys = key_pool.flatten(0, 1)[slots]
        values = value_pool.flatten(0, 1)[slots]
        if num_queries_per_kv > 1:
            # Handle MQA and GQA
            keys = torch.repeat_interleave(keys, num_queries_per_kv, dim=1)
            values = torch.repeat_interleave(values, num_queries_per_kv, dim=1)
        output[i] = ref_masked_attention(query[i], keys, values, head_size**-0.5)
    return output
