"""What torch's refusals come of, and how to mend it: shapes, indices, dtypes, modules."""

from __future__ import annotations

__all__ = ["TORCH_WORDS"]

TORCH_WORDS: dict[str, dict[str, str]] = {
    "crash-split-chunk": {
        "en": "`split({size})` makes pieces of {size} entries each, here {pieces} of them; "
        "`chunk({names})` makes {names} pieces",
        "zh": "`split({size})` 是每 {size} 个切一段，这里切出 {pieces} 段；要切成 {names} 段，"
        "请用 `chunk({names})`",
    },
    "crash-split": {
        "en": "`split({size})` makes pieces of {size} entries each, here {pieces} of them, and "
        "{names} names stand on the left",
        "zh": "`split({size})` 是每 {size} 个切一段，这里切出 {pieces} 段，而左边有 {names} 个名字",
    },
    "crash-pieces": {
        "en": "it makes {pieces} pieces here, and {names} names stand on the left",
        "zh": "这里得到 {pieces} 段，而左边有 {names} 个名字",
    },
    "crash-tensor-apart": {
        "en": "a tensor is taken apart along its first axis, which is {given} long, and {names} names "
        "stand on the left; `.shape` gives its sizes, `.chunk({names}, dim=-1)` takes the last axis "
        "apart",
        "zh": "直接拆开张量是沿第一维拆，它的长度是 {given}，而左边有 {names} 个名字；"
        "各维的大小用 `.shape`，沿最后一维切开用 `.chunk({names}, dim=-1)`",
    },
    "crash-reshape-last": {
        "en": "the axis that is taken apart has {given} entries, and the new sizes make {wanted}: "
        "one of them is wrong, or the layer that made this axis has another width",
        "zh": "要拆开的这一维有 {given} 个，而新的大小合起来是 {wanted}："
        "要么其中某个大小写错了，要么生成这一维的层宽度不对",
    },
    "crash-reshape-same": {
        "en": "the last axis has {given} entries, and is to have {wanted}",
        "zh": "最后一维有 {given} 个，却要变成 {wanted} 个",
    },
    "crash-reshape-merged": {
        "en": "the axes that are put together have {given} entries, and the new one is to have "
        "{wanted}",
        "zh": "要合并的各维共有 {given} 个，而新的这一维要 {wanted} 个",
    },
    "crash-reshape-infer": {
        "en": "{given} cannot be divided by {wanted}, so no whole number stands for -1",
        "zh": "{given} 不能被 {wanted} 整除，-1 那一维没有整数可取",
    },
    "crash-expand": {
        "en": "`expand` repeats only axes of size 1, and this one has {size}; `unsqueeze` puts in "
        "an axis of size 1",
        "zh": "`expand` 只能重复大小为 1 的维度，而这一维是 {size}；"
        "可以先用 `unsqueeze` 加一个大小为 1 的维度",
    },
    "crash-expand-repeat": {
        "en": "`expand` repeats only axes of size 1, and this one has {size}; `unsqueeze` first, or "
        "`repeat_interleave`, which repeats each entry",
        "zh": "`expand` 只能重复大小为 1 的维度，而这一维是 {size}；先用 `unsqueeze`，"
        "或改用逐个重复的 `repeat_interleave`",
    },
    "crash-expand-few": {
        "en": "`expand` has to be given a size for each axis of the tensor, not {part1} alone",
        "zh": "`expand` 要给张量的每一维都写一个大小，只写 {part1} 个不够",
    },
    "crash-repeat": {
        "en": "`repeat` has to be given a count for each axis of the tensor",
        "zh": "`repeat` 要给张量的每一维都写一个重复次数",
    },
    "crash-assigned": {
        "en": "what is put in, {given}, has to broadcast to the place that it is put into, {wanted}",
        "zh": "写入的值是 {given}，必须能广播到写入的位置 {wanted}",
    },
    "crash-move": {
        "en": "`.{part1}` takes where an axis is and where it goes; `.permute` puts all of them in "
        "an order",
        "zh": "`.{part1}` 要的是某一维现在的位置和新位置；要重排所有维度请用 `.permute`",
    },
    "crash-searched": {
        "en": "all axes but the last have to be the same in both",
        "zh": "除了最后一维，两者的各维都必须相同",
    },
    "crash-searched-lacks": {
        "en": "for each row of the first there has to be a row of values: `{call}` makes rows of one",
        "zh": "前者的每一行都要对应一行待查的值：`{call}` 让每行有一个值",
    },
    "crash-ranks": {
        "en": "`{name}` has fewer axes than `{other}`, {few} where that has {many}; `keepdim=True` "
        "keeps the axis that a sum or an argmax takes away, `unsqueeze` puts one in",
        "zh": "`{name}` 只有 {few} 维，而 `{other}` 有 {many} 维；sum、argmax 这类运算加 `keepdim=True` "
        "可以保留那一维，也可以用 `unsqueeze` 补一维",
    },
    "crash-cat-axis": {
        "en": "they are joined along axis {along}, and axis {axis} differs: {first} and {second}; "
        "all axes but the one that they are joined along have to be the same",
        "zh": "它们沿第 {along} 维（从 0 数起）拼接，而第 {axis} 维不同：{first} 和 {second}；"
        "除了拼接的那一维，其余维度都必须相同",
    },
    "crash-cat-along": {
        "en": "they are joined along axis {along}, and differ along axis {axis} alone, {first} and "
        "{second}: along that one they could be joined",
        "zh": "它们沿第 {along} 维（从 0 数起）拼接，却只有第 {axis} 维不同：{first} 和 {second}；"
        "沿这一维才拼得起来",
    },
    "crash-cat-expand": {
        "en": "they are joined along axis {along}, and axis {axis} differs: {first} and {second}; "
        "`expand` repeats an axis of size 1",
        "zh": "它们沿第 {along} 维（从 0 数起）拼接，而第 {axis} 维不同：{first} 和 {second}；"
        "大小为 1 的维度可以用 `expand` 重复",
    },
    "crash-stack": {
        "en": "`stack` takes tensors of one shape and puts them along a new axis; `cat` joins them "
        "along one that they have",
        "zh": "`stack` 要求所有张量形状相同，并沿新的一维叠放；`cat` 则沿已有的一维拼接",
    },
    "crash-leading-lacks": {
        "en": "the axes before the last two, {first} and {second}, have to be the same or 1; "
        "`{name}` has an axis fewer: `unsqueeze({axis})` puts one of size 1 in",
        "zh": "最后两维之前的维度 {first} 和 {second} 必须相同，或者是 1；`{name}` 少一维："
        "`unsqueeze({axis})` 可以补上大小为 1 的维度",
    },
    "crash-lacks-at": {
        "en": "axes are matched from the right, and {part1} and {part2} differ where neither is 1; "
        "`unsqueeze({axis})` on `{name}` would make it fit",
        "zh": "广播从最右边的维度对起，{part1} 与 {part2} 不等，且都不是 1；"
        "对 `{name}` 用 `unsqueeze({axis})` 就能对上",
    },
    "crash-bitwise": {
        "en": "`&`, `|` and `^` join booleans or whole numbers, not floats; compare first, or call "
        "`.bool()`",
        "zh": "`&`、`|`、`^` 只用于布尔或整数，不能用于浮点；先比较一下，或调用 `.bool()`",
    },
    "crash-bitwise-named": {
        "en": "`{sign}` joins booleans or whole numbers, and floats are in {names}; compare first, "
        "or call `.bool()`",
        "zh": "`{sign}` 只用于布尔或整数，而 {names} 是浮点；先比较一下，或调用 `.bool()`",
    },
    "crash-mask-floats": {
        "en": "`masked_fill` needs a boolean mask; compare one of 0 and 1 first, `mask == 0`, and "
        "add one of 0 and -inf to the scores",
        "zh": "`masked_fill` 要的是布尔 mask；由 0 和 1 组成的先比较一下：`mask == 0`，"
        "由 0 和 -inf 组成的则加到 scores 上",
    },
    "crash-not-for": {
        "en": "torch cannot do this here in the dtype {part1}; convert the tensor first",
        "zh": "torch 在这里不能对 {part1} 类型做这个运算；请先转换张量的 dtype",
    },
    "crash-floats-alone": {
        "en": "this is done on floats alone; convert the tensor first",
        "zh": "这个运算只用于浮点；请先转换张量的 dtype",
    },
    "crash-dtype-whole": {
        "en": "both have to be of one dtype, and `{name}` holds no floats: convert it to the dtype "
        "of `{other}`",
        "zh": "两者的 dtype 必须相同，而 `{name}` 不是浮点：请转成 `{other}` 的 dtype",
    },
    "crash-long": {
        "en": "indices and class numbers have to be int64: `.long()`",
        "zh": "下标和类别编号必须是 int64：请用 `.long()`",
    },
    "crash-overflow-whole": {
        "en": "the tensor holds whole numbers or booleans, which do not hold this value; make it "
        "one of floats first",
        "zh": "这个张量存的是整数或布尔，放不下这个值；请先转成浮点",
    },
    "crash-cast": {
        "en": "an in-place operation keeps the dtype, and this tensor holds no floats; make a new "
        "tensor",
        "zh": "原地运算不改变 dtype，而这个张量不是浮点；请生成一个新张量",
    },
    "crash-cast-named": {
        "en": "an in-place operation keeps the dtype, and `{name}` holds no floats; make a new "
        "tensor",
        "zh": "原地运算不改变 dtype，而 `{name}` 不是浮点；请生成一个新张量",
    },
    "crash-where": {
        "en": "the first argument of `where` has to be boolean; compare first",
        "zh": "`where` 的第一个参数必须是布尔；请先比较一下",
    },
    "crash-attn-mask": {
        "en": "`attn_mask` is boolean, True where a key is seen, or floats that are added to the "
        "scores; convert it first",
        "zh": "`attn_mask` 要么是布尔（True 表示看得见），要么是加到 scores 上的浮点；请先转换",
    },
    "crash-index-float": {
        "en": "indices are whole numbers, and `{name}` holds floats",
        "zh": "下标必须是整数，而 `{name}` 是浮点",
    },
    "crash-index-float-plain": {
        "en": "indices are whole numbers, not floats",
        "zh": "下标必须是整数，不能是浮点",
    },
    "crash-index-divided": {
        "en": "indices are whole numbers, and the `/` on line {line} makes `{name}` floats; `//` "
        "gives whole numbers",
        "zh": "下标必须是整数，而第 {line} 行的 `/` 让 `{name}` 成了浮点；`//` 才得到整数",
    },
    "crash-index-half": {
        "en": "an index has to be an int, and `/` gives a float; write `//`",
        "zh": "下标必须是整数，而 `/` 得到浮点数；请写 `//`",
    },
    "crash-index-whole": {
        "en": "an index has to be an int",
        "zh": "下标必须是整数",
    },
    "crash-index-tensor": {
        "en": "one whole number is wanted here; a tensor can stand for it only if it holds just one, "
        "and no float",
        "zh": "这里要的是一个整数；只有恰好存着一个整数的张量才能代替它",
    },
    "crash-range": {
        "en": "`{name}` holds numbers from {low} to {high}, and {least} to {most} are allowed",
        "zh": "`{name}` 里的数从 {low} 到 {high}，而允许的是 {least} 到 {most}",
    },
    "crash-range-one": {
        "en": "`{name}` holds {low}, and {least} to {most} are allowed",
        "zh": "`{name}` 里是 {low}，而允许的是 {least} 到 {most}",
    },
    "crash-list-index": {
        "en": "`{name}` has length {many}, and is asked for entry {index}, counted from 0",
        "zh": "`{name}` 的长度是 {many}，要取的却是下标 {index}（从 0 数起）",
    },
    "crash-list-index-end": {
        "en": "`{name}` has length {many}, and is asked for entry {index}, counted from its end",
        "zh": "`{name}` 的长度是 {many}，要取的却是下标 {index}（从末尾数起）",
    },
    "crash-indices": {
        "en": "an index for each axis at most, and the tensor has {part1}; `None` puts in a new one",
        "zh": "下标最多每维一个，而张量有 {part1} 维；`None` 可以新增一维",
    },
    "crash-mask-index": {
        "en": "a boolean index has to be as long as the axes that it picks from",
        "zh": "布尔下标必须与它所选的各维一样长",
    },
    "crash-unbound-if": {
        "en": "only line {line} sets `{name}`, and it was not run: it stands under an `if`",
        "zh": "只有第 {line} 行给 `{name}` 赋值，而这一行没有执行：它写在 `if` 里",
    },
    "crash-unbound-loop": {
        "en": "only line {line} sets `{name}`, and it was not run: it stands in a loop",
        "zh": "只有第 {line} 行给 `{name}` 赋值，而这一行没有执行：它写在循环里",
    },
    "crash-unbound-ifs": {
        "en": "every line that sets `{name}` stands under an `if`, and none of them was run",
        "zh": "给 `{name}` 赋值的每一行都写在 `if` 里，而这些行都没有执行",
    },
    "crash-unbound-later": {
        "en": "this function sets `{name}` only on line {line}, so that it has no value before",
        "zh": "这个函数只在第 {line} 行给 `{name}` 赋值，在那之前它没有值",
    },
    "crash-none-changed": {
        "en": "`{call}` on line {line} changes what it is called on and gives None; leave out the "
        "assignment",
        "zh": "第 {line} 行的 `{call}` 直接修改原对象，返回的是 None；请去掉赋值",
    },
    "crash-truth-most": {
        "en": "Python's `max` and `min` ask which of two tensors is the larger, and entries differ "
        "in that; `torch.maximum` and `torch.minimum` compare entry by entry",
        "zh": "Python 的 `max`、`min` 要比出哪个张量更大，而各元素结果不一；"
        "逐元素比较请用 `torch.maximum`、`torch.minimum`",
    },
    "crash-vector": {
        "en": "the last axis of the first ({first}) has to be as long as the vector ({second})",
        "zh": "前者的最后一维（{first}）必须与向量（{second}）一样长",
    },
    "crash-no-call": {
        "en": "what stands before the bracket is of type `{part1}`, no function: is an operator "
        "missing, or does one name stand for two things?",
        "zh": "括号前面的东西类型是 `{part1}`，不是函数：是漏了运算符，还是同一个名字用在了两处？",
    },
    "crash-fill-text": {
        "en": '`masked_fill` fills with a number, not with a text: `float("-inf")`',
        "zh": '`masked_fill` 填的是数，不是字符串：`float("-inf")`',
    },
    "crash-index-key": {
        "en": "this is a {part1}, which has places and no keys",
        "zh": "这是 {part1}，只能按位置取，没有键",
    },
    "crash-index-axes": {
        "en": "a {part1} takes one index, only a tensor one for each axis; `torch.stack` makes a "
        "tensor of tensors",
        "zh": "{part1} 只能用一个下标，只有张量才能每维一个；`torch.stack` 可以把多个张量合成一个",
    },
    "crash-dim-tensor": {
        "en": "`dim` is the number of an axis, and a tensor is given for it",
        "zh": "`dim` 是某一维的序号，这里给的却是张量",
    },
    "crash-finfo": {
        "en": "`torch.finfo` takes a dtype, `x.dtype`, not the tensor",
        "zh": "`torch.finfo` 接收的是 dtype，即 `x.dtype`，不是张量",
    },
    "crash-topk": {
        "en": "`k` has to lie between 0 and the length of the axis",
        "zh": "`k` 必须在 0 和这一维的长度之间",
    },
    "crash-multinomial": {
        "en": "the weights that are drawn by have to be finite and not below 0; logits need a "
        "softmax first",
        "zh": "抽样用的权重必须有限且不小于 0；logits 要先做 softmax",
    },
    "crash-put": {
        "en": "what is put in has to be of the dtype of the tensor that it is put into",
        "zh": "写入的值必须与被写入的张量 dtype 相同",
    },
    "crash-scalar": {
        "en": "one number is wanted here, and the tensor holds several",
        "zh": "这里只要一个数，而张量里有好几个",
    },
    "crash-scalar-made": {
        "en": "`torch.tensor` takes numbers; `torch.stack` puts tensors together",
        "zh": "`torch.tensor` 接收的是数；把多个张量合在一起请用 `torch.stack`",
    },
    "crash-scalar-math": {
        "en": "`math.{call}` takes one number, `torch.{call}` a tensor",
        "zh": "`math.{call}` 只接收一个数，张量请用 `torch.{call}`",
    },
    "crash-maximum": {
        "en": "`torch.{part1}imum` takes two tensors; `torch.clamp` compares with a number",
        "zh": "`torch.{part1}imum` 接收两个张量；与一个数比较请用 `torch.clamp`",
    },
    "crash-norm": {
        "en": "the norm is for a last axis of {part1}, and this one has {part2}",
        "zh": "这个归一化针对长度为 {part1} 的最后一维，而这里是 {part2}",
    },
    "crash-einsum-output": {
        "en": "each letter behind `->` has to stand for an axis of an input, and `{part1}` does not",
        "zh": "`->` 后面的每个字母都必须在某个输入里出现过，而 `{part1}` 没有",
    },
    "crash-einsum-axes": {
        "en": "a tensor needs a letter for each axis: {part2}, not {part1}",
        "zh": "张量的每一维都要一个字母：应有 {part2} 个，而不是 {part1} 个",
    },
    "crash-einsum-inputs": {
        "en": "the equation needs as many inputs, with commas between them, as tensors are given",
        "zh": "等式里用逗号分开的输入个数，必须与传入的张量个数相同",
    },
    "crash-needs": {
        "en": "`{part1}` needs `{part2}`",
        "zh": "`{part1}` 必须给出 `{part2}`",
    },
    "crash-no-keyword": {
        "en": "it takes no `{part1}`",
        "zh": "它没有 `{part1}` 这个参数",
    },
    "crash-module-list": {
        "en": "a `ModuleList` holds layers and is not called: go through it, "
        "`for layer in layers: x = layer(x)`",
        "zh": "`ModuleList` 只存放层，不能直接调用：请逐个调用，`for layer in layers: x = layer(x)`",
    },
    "crash-no-forward": {
        "en": "the class `{part1}` has no method `forward`",
        "zh": "`{part1}` 这个类没有 `forward` 方法",
    },
    "crash-layer-set": {
        "en": "`{part1}` is a layer; give what it makes another name",
        "zh": "`{part1}` 是一个层；它算出的结果请另取名字",
    },
    "crash-parameter-set": {
        "en": "`{part1}` is a parameter; give the new tensor another name",
        "zh": "`{part1}` 是参数；新的张量请另取名字",
    },
    "crash-parameter-floats": {
        "en": "gradients are for floats alone",
        "zh": "只有浮点张量才有梯度",
    },
    "crash-classes": {
        "en": "`cross_entropy` takes the classes on axis 1, behind the batch; flatten both, `logits.flatten(0, 1)` and "
        "`targets.flatten()`",
        "zh": "`cross_entropy` 要求类别放在第 1 维（从 0 数起），紧跟在 batch 之后；也可以把两者都展平："
        "`logits.flatten(0, 1)` 与 `targets.flatten()`",
    },
    "crash-no-gradient": {
        "en": "no gradient can go back from here: nothing that this was made of asks for one, or "
        "`no_grad`, `detach` or a new tensor lies between",
        "zh": "梯度无法从这里往回传：它的来源都不需要梯度，或中间隔着 `no_grad`、`detach`、新建的张量",
    },
    "crash-second-backward": {
        "en": "the first `backward` frees the graph; make the loss anew in each step, and `detach` "
        "what is kept from one to the next",
        "zh": "第一次 `backward` 之后计算图就释放了；每一步都要重新算 loss，"
        "要留到下一步的张量请先 `detach`",
    },
    "crash-backward-many": {
        "en": "`backward` starts from one number: take the mean or the sum first",
        "zh": "`backward` 要从一个数开始：请先取平均或求和",
    },
    "crash-pair": {
        "en": "`{part1}` gives values and their indices; take `.values` or `.indices`",
        "zh": "`{part1}` 会同时返回值和下标；请取 `.values` 或 `.indices`",
    },
}
