"""The steps of the lesson on paged, each after its `# %%`; the last part makes the picture."""

# %% a pool of six blocks of four places, each place named by its number
import torch

pool = torch.arange(24).reshape(6, 4)
print(pool[3])

# %% two tables, and how many tokens each sequence has
table = torch.tensor([[3, 0, 5], [3, 1, 4]])
lengths = torch.tensor([6, 9])
print(-(-lengths // 4), 4 * -(-lengths // 4) - lengths)

# %% where token 5 of the first sequence lies
token = 5
block, slot = int(table[0, token // 4]), token % 4
print(block, slot, int(pool[block, slot]))

# %% all places, in the order of the tokens
places = pool[table].flatten(1, 2)
print(places)

# %% those that count
seen = torch.arange(12) < lengths[:, None]
for own, its in zip(places, seen):
    print(own[its].tolist())

# %% picture
picture = torch.stack([torch.isin(pool.flatten(), a[b]) for a, b in zip(places, seen)])
rows = [f"sequence {i}" for i in range(2)]
columns = [str(i) for i in range(24)]
