"""The steps of the lesson on gqa, each after its `# %%`; the last part makes the picture."""

# %% two orders
import torch

kv_heads = torch.tensor([0, 1])
print(kv_heads.repeat_interleave(3).tolist())
print(kv_heads.repeat(3).tolist())

# %% keys for six query heads
key = torch.randn(1, 2, 4, 8)
print(key.repeat_interleave(3, dim=1).shape)

# %% the same without a copy
torch.manual_seed(0)
query = torch.randn(1, 6, 4, 8)
grouped = query.view(1, 2, 3, 4, 8)
scores = (grouped @ key.unsqueeze(2).mT).flatten(1, 2)
copied = query @ key.repeat_interleave(3, dim=1).mT
print(scores.shape, torch.allclose(scores, copied, atol=1e-6))

# %% what it saves
for name, heads in (("MHA", 32), ("GQA", 8), ("MQA", 1)):
    numbers = 2 * 32 * heads * 128
    print(name, numbers * 2 // 1024, "KiB a token")

# %% picture
picture = [[int(h // 3 == g) for h in range(6)] for g in (0, 1)]
rows = ("kv head 0", "kv head 1")
columns = [f"query head {h}" for h in range(6)]
