"""The steps of the lesson on window, each after its `# %%`; the last part makes the picture."""

# %% how old each key is
import torch

places = torch.arange(6)
age = places[:, None] - places[None, :]
print(age)

# %% a band
seen = (age >= 0) & (age < 3)
print(seen.int())
print(seen.sum(dim=-1).tolist())

# %% layers reach further
step = seen.int()
reach = step
for layers in (1, 2, 3):
    print("layers", layers, "oldest", reach[5].argmax().item())
    reach = (reach @ step).clamp(max=1)

# %% how much is left to compute
length, window = 4096, 512
whole = length * (length + 1) // 2
band = sum(min(i + 1, window) for i in range(length))
print(whole, band, round(whole / band, 1))

# %% picture
picture = seen.int()
rows = [f"query {i}" for i in range(6)]
columns = [f"key {i}" for i in range(6)]
