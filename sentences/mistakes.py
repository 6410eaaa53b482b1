"""What is wrong: the mistakes that the judge finds itself."""

from __future__ import annotations

__all__ = ["MISTAKES"]

MISTAKES: dict[str, dict[str, str]] = {
    "dtype-narrowed": {
        "en": "{dtype} input gives {narrowed} output; a dtype is hard-coded",
        "zh": "输入是 {dtype}，输出却是 {narrowed}；代码里写死了 dtype",
    },
    # Mistakes that have evidence of their own.
    "forbidden-call": {
        "en": "{call} does all the work; this kata asks for it by hand",
        "zh": "{call} 把整件事都做完了，这里要求手写",
    },
    "not-fused": {
        "en": "query, key and value come from separate projections; this kata asks for one",
        "zh": "query、key、value 来自各自的投影；这道题要求合成一个",
    },
    "output-projection-missing": {
        "en": "there is no output projection at the end",
        "zh": "最后没有输出投影",
    },
    # Made with a layer more, a model has no more weights. Also the check's detail.
    "layers-shared": {
        "en": "with one layer more the model has no more weights: all layers are one and the same, or "
        "their number is fixed; make a new one each time, as a comprehension does",
        "zh": "层数加一，模型的权重并没有变多：所有层其实是同一个，或者层数写死了；"
        "应当每次新建一个，例如用列表推导式",
    },
    # Some of their parameters are the same, of which a new block gets none.
    "layers-shared-in-part": {
        "en": "blocks have {names} in common: each needs its own, so its name needs the block's number",
        "zh": "几个 block 共用了 {names}：每个 block 都要有自己的一份，名字里要带上 block 的编号",
    },
    # In a layer of attention alone. Also the check's detail.
    "layers-shared-as-one": {
        "en": "{names} does the work of several layers ({layers}): each needs its own",
        "zh": "{names} 一个层当作好几个层用（{layers}）：应当各有各的层",
    },
    # Parameters that were made of one and the same tensor. Also the check's detail.
    "layers-shared-memory": {
        "en": "{names} are several parameters in one memory: what is loaded into one, or learnt, "
        "changes the others; give each a tensor of its own",
        "zh": "{names} 是几个参数，却占着同一块内存：给其中一个加载权重，或者训练更新了它，其余的也跟着变；"
        "应当各用各的张量",
    },
    "weights-frozen": {
        "en": "a weight is frozen, so that no optimiser changes it: {names}",
        "zh": "有权重被冻结，优化器不会更新它：{names}",
    },
    # Gains, as a rule. Also the check's detail.
    "weights-misbegun": {
        "en": "before any training {names} should act as {number}, and does as another number",
        "zh": "训练之前，{names} 起的作用应当是 {number}，现在却是别的数",
    },
    "blocks-miscounted": {
        "en": "the number of blocks is fixed at {held}; {asked} were asked for",
        "zh": "block 的个数写死成了 {held}，而这里要的是 {asked} 个",
    },
    "parameters-not-registered": {
        "en": "`parameters()` does not find {names}, so no optimiser would train it",
        "zh": "`parameters()` 找不到 {names}，优化器不会训练它",
    },
    "detached": {
        "en": "no gradient reaches {name}; look for `.detach()`, `.data` or `no_grad`",
        "zh": "梯度到不了 {name}；检查 `.detach()`、`.data` 或 `no_grad`",
    },
    "detached-in-part": {
        "en": "part of the gradient of {name} is lost: `.detach()`, `.data` or `no_grad` cuts it off here",
        "zh": "{name} 的梯度少了一部分：在这里被 `.detach()`、`.data` 或 `no_grad` 切断了",
    },
    "backward-wrong": {
        "en": "what `backward` of `{name}` gives is not the derivative of its `forward`: with autograd's own backward pass in its place, the gradients are right",
        "zh": "`{name}` 的 `backward` 给出的不是 `forward` 的导数：换成 autograd 自己的反向传播，梯度就对了",
    },
    "overwritten-in-place": {
        "en": "a tensor that the backward pass still needs is changed in place; make a new one (no `+=`, no `inplace=True`, no method whose name ends in an underscore)",
        "zh": "反向传播还要用到的张量被原地改掉了；应当另建一个（不用 `+=`、`inplace=True`，也不用以下划线结尾的方法）",
    },
    "dropout-missing": {
        "en": "no dropout acts on the weights in train mode",
        "zh": "train 模式下没有 dropout 作用在权重上",
    },
    "dropout-in-eval": {
        "en": "dropout is active in eval mode; a registered `nn.Dropout` follows `eval()`, `F.dropout` needs `training=self.training`",
        "zh": "eval 模式下 dropout 仍在起作用；注册过的 `nn.Dropout` 会随 `eval()` 关闭，`F.dropout` 则要传 `training=self.training`",
    },
    "dropout-before-softmax": {
        "en": "dropout acts before the softmax, where a dropped score of 0 still gets weight; apply it to the weights",
        "zh": "dropout 放在了 softmax 之前：被置 0 的分数仍会分到权重；应把 dropout 用在权重上",
    },
    # Some weights fall together, as those of every two heads; of all along an axis see below.
    "dropout-shared": {
        "en": "dropout drops many weights at once; each weight has to be dropped by itself",
        "zh": "dropout 一次丢弃了许多权重；每个权重应当各自独立地丢弃",
    },
    "dropout-along-key": {
        "en": "dropout drops all weights of a query at once; each weight has to be dropped by itself",
        "zh": "dropout 把一个 query 的权重整行丢弃了；每个权重应当各自独立地丢弃",
    },
    "dropout-along-query": {
        "en": "dropout drops a key for all queries at once; each weight has to be dropped by itself",
        "zh": "dropout 对所有 query 丢弃同一个 key；每个权重应当各自独立地丢弃",
    },
    "dropout-along-head": {
        "en": "dropout drops the same weights in every head; each has to be dropped by itself",
        "zh": "dropout 在每个 head 里丢弃的都是同样的权重；每个权重应当各自独立地丢弃",
    },
    "dropout-along-sample": {
        "en": "dropout drops the same weights in every sample; each has to be dropped by itself",
        "zh": "dropout 在每个样本里丢弃的都是同样的权重；每个权重应当各自独立地丢弃",
    },
    "dropout-along-call": {
        "en": "dropout drops the same weights at every call; they have to be drawn anew each time",
        "zh": "dropout 每次调用丢弃的都是同样的权重；每次都应当重新随机选取",
    },
    "dropout-on-output": {
        "en": "dropout acts on {where}, not on the weights",
        "zh": "dropout 作用在{where}上，而不是权重上",
    },
    "dropout-rate-wrong": {
        "en": "dropout drops {actual:.2g} of the weights, but {asked:.2g} was asked for",
        "zh": "要求的 dropout 比例是 {asked:.2g}，实际丢弃了 {actual:.2g}",
    },
    # `dropout-rate-wrong`, where the rate is right and the scale is not.
    "dropout-scale": {
        "en": "the weights that are kept are multiplied by {actual:.3g}; at rate {rate:.2g} it should be {wanted:.3g}",
        "zh": "保留的权重被乘以 {actual:.3g}；比例为 {rate:.2g} 时应乘以 {wanted:.3g}",
    },
    "dropout-undone": {
        "en": "what dropout takes from the weights is given back after it: they are brought to a sum of 1 again; use the dropped weights as they are",
        "zh": "dropout 从权重上丢掉的，之后又补了回来：权重被重新归一化到和为 1；应当直接使用 dropout 之后的权重",
    },
    "dropout-otherwise": {
        "en": "with half of every weight kept by dropout, the context is not half as large; only the product with the values may follow it, once",
        "zh": "让 dropout 把每个权重都减半，context 却没有减半；它之后只应当是与 value 的那一次乘积",
    },
    # A lower dtype raises; `dtype-fixed` is of the first plain call, whose words are told.
    "dtype-hardcoded": {
        "en": "a dtype is hard-coded, so {dtype} fails: {reason}",
        "zh": "代码里写死了 dtype，{dtype} 因此出错：{reason}",
    },
    # The same where nothing raises, and precision is lost.
    "dtype-rounded": {
        "en": "this goes through {dtype} whatever is given, and rounds what float64 holds; keep the inputs' dtype",
        "zh": "无论输入是什么 dtype，这里都经过了 {dtype}，float64 的精度丢掉了；应保持输入的 dtype",
    },
    # The same where the line writes no dtype: it makes float32 by default, or takes what does.
    "dtype-mixed": {
        "en": "two dtypes meet, so {dtype} fails: {reason}; bring this to the inputs' dtype",
        "zh": "两种 dtype 混在一起，{dtype} 因此出错：{reason}；请把这里的结果转成输入的 dtype",
    },
    "input-modified": {
        "en": "forward changes {names} in place, but the caller still uses it",
        "zh": "forward 原地修改了 {names}，而调用者还要用它",
    },
    # `nondeterministic`, in train mode alone and with no dropout.
    "random-in-training": {
        "en": "train mode draws random numbers, and not to drop weights",
        "zh": "train 模式下用到了随机数，却不是用来丢弃权重的",
    },
    "mixed-in-turns": {
        "en": "what one sequence leaves on the object reaches the next: each is right by itself, and wrong where two take turns; keep it in the cache",
        "zh": "一条序列留在对象上的东西影响了下一条：单独一条是对的，两条轮流来就错了；应当放进 cache",
    },
    "nondeterministic": {
        "en": "two identical calls in eval mode differ",
        "zh": "eval 模式下两次相同的调用结果不同",
    },
    "softmax-unstable": {
        "en": "large scores overflow: subtract the row's maximum before taking exp",
        "zh": "分数大时会溢出：exp 之前先减去每行最大值",
    },
    "variance-cancels": {
        "en": "the variance is a difference of two squares, which cancels where the mean is large: "
        "take the mean of the squared deviations",
        "zh": "方差用两个平方相减，均值大时就抵消光了；应当对偏差的平方取平均",
    },
    "view-needs-contiguous": {
        "en": "`view` needs contiguous memory, which transpose and permute do not leave; "
        "call `.contiguous()` first, or use `reshape`",
        "zh": "`view` 需要连续内存，而 transpose、permute 之后不再连续；先调用 `.contiguous()`，"
        "或改用 `reshape`",
    },
    "key-viewed-by-query-length": {
        "en": "keys and values are reshaped to the queries' length; take their own from key.shape",
        "zh": "key 和 value 用了 query 的长度来 reshape；应从 key.shape 取它们自己的长度",
    },
    "causal-not-sliced": {
        "en": "the causal mask has block_size rows, but the scores only as many as the input; slice it: `mask[:length, :length]`",
        "zh": "因果 mask 有 block_size 行，而 scores 只有输入那么长；要切片：`mask[:length, :length]`",
    },
    # Values are right at some lengths alone, or others raise.
    "length-fixed": {
        "en": "works only for some lengths; take the length from the input's shape",
        "zh": "只对某些长度有效；长度应从输入的 shape 取",
    },
    # The same where no line writes a length down and none raises.
    "right-when-short": {
        "en": "right for short inputs and wrong for longer ones: something has a fixed size, or is not "
        "carried on from one piece of the input to the next",
        "zh": "输入短时对，长了就错：有东西的大小写死了，或者没有从一段接着传到下一段",
    },
    # The same of batches.
    "batch-fixed": {
        "en": "works only for some batch sizes; take the batch size from the input's shape",
        "zh": "只对某些 batch 大小有效；batch 应从输入的 shape 取",
    },
    # All calls that go wrong return early, at the test that is shown; or run what stands under it,
    # or do not.
    "shortcut-wrong": {
        "en": "what returns early where `{test}` is wrong: of the calls tried, those that return here "
        "fail and the others pass; a shortcut has to give what the rest of the code would",
        "zh": "`{test}` 时提前返回的结果不对：试过的调用里，在这里返回的都错，其余都对；"
        "走捷径的结果必须与走完整计算的一样",
    },
    "branch-runs": {
        "en": "what runs where `{test}` is wrong, or the test is: of the calls tried, those that come here "
        "fail and the others pass",
        "zh": "`{test}` 时执行的部分不对，或者条件本身不对：试过的调用里，走到这里的都错，其余都对",
    },
    "branch-skips": {
        "en": "what runs where `{test}` is left out in the wrong calls: of the calls tried, those that skip it "
        "fail and the others pass",
        "zh": "`{test}` 时才执行的部分，不该跳过的时候跳过了：试过的调用里，跳过它的都错，其余都对",
    },
    # What lies in a row in memory is right, and nothing else is.
    "strides-from-sizes": {
        "en": "wrong for tensors that do not lie in a row: `as_strided` gets strides that suppose it, such "
        "as those worked out from the sizes; take them from the tensor's own, `stride()`",
        "zh": "张量在内存里不连续时就错：`as_strided` 用的步长只对连续的张量成立，比如按形状算出来的；"
        "应当由张量自己的 `stride()` 得到",
    },
    # A call raises, as what gathers values is as wide as the query.
    "output-like-query": {
        "en": "what gathers values is made as large as the query: its last axis is that of the values, "
        "value_dim, which may be another",
        "zh": "存放 value 之和的张量是照 query 的大小建的；它的最后一维应当是 value 的宽度 value_dim，两者可以不同",
    },
    "batch-mixed": {
        "en": "a sample's output depends on the other samples of its batch",
        "zh": "一个样本的输出受到同一个 batch 里其他样本的影响",
    },
    # The same where the others' contents make no difference.
    "batch-counted": {
        "en": "a sample's output depends on how many samples there are in its batch",
        "zh": "一个样本的输出受到 batch 里样本个数的影响",
    },
    "heads-share-projection": {
        "en": "one small layer serves all heads, each on its own slice; every head needs its own projection from the full width",
        "zh": "所有 head 共用一个小的投影层，各自只看到自己的切片；每个 head 都应从完整宽度做自己的投影",
    },
    # The same where it reads the full width, and all heads get what it makes.
    "heads-share-projection-whole": {
        "en": "all heads have {names} in common: each head needs its own",
        "zh": "所有 head 共用了 {names}：每个 head 都应有自己的一份",
    },
    "device-hardcoded": {
        "en": "a device is hard-coded; make tensors on the input's device: `device=x.device`",
        "zh": "代码里写死了 device；新建张量要用输入的：`device=x.device`",
    },
    # `device-hardcoded`, where a tensor becomes an array.
    "no-array": {
        "en": "NumPy works only on the CPU; stay with torch, which has the same functions",
        "zh": "NumPy 只能处理 CPU 上的张量；请一直用 torch，它有同样的函数",
    },
    # `device-hardcoded`, where an attribute is no buffer.
    "left-behind": {
        "en": "`{name}` is a plain attribute, which `.to()` leaves behind; use `register_buffer`, "
        "or `nn.Parameter` for what is to be learned",
        "zh": "`{name}` 是普通属性，`.to()` 不会带上它；请用 `register_buffer`，要学习的则用 `nn.Parameter`",
    },
    "mask-not-buffer": {
        "en": "the mask is a plain attribute, which `.to()` leaves behind; use `register_buffer`",
        "zh": "mask 是普通属性，`.to()` 不会带上它；请用 `register_buffer`",
    },
    "projection-unused": {
        "en": "a projection is made but never used",
        "zh": "有一个投影创建了却没有用上",
    },
    # These break a rule on operators.
    "direct-never": {
        "en": "`{call}` may not be used here; the kata asks for what it does by hand",
        "zh": "这里不能用 `{call}`；题目要求手写它做的事",
    },
    "direct-instead": {
        "en": "`{call}` is called where the kata asks for {wanted}",
        "zh": "题目要求用 {wanted}，这里用的却是 `{call}`",
    },
    "direct-autograd": {
        "en": "autograd computes the gradients here (`{call}`); the kata asks for them by hand",
        "zh": "这里让 autograd 求了梯度（`{call}`）；题目要求手写",
    },
    "direct-must": {
        "en": "{wanted} has to be used here, but was never called",
        "zh": "这里要用 {wanted}，却没有调用过",
    },
    "direct-loop": {
        "en": "a Python loop; the kata asks for one call on whole tensors",
        "zh": "用了 Python 循环；题目要求对整个张量一次算完",
    },
    # These break a rule on memory.
    "direct-view": {
        "en": "the result has memory of its own; it should be a view of `{name}`",
        "zh": "结果占用了新的内存；它应该是 `{name}` 的一个视图",
    },
    "direct-copy": {
        "en": "the result shares its memory with `{name}`; it should be a copy",
        "zh": "结果与 `{name}` 共用内存；它应该是一份拷贝",
    },
    "direct-contiguous": {
        "en": "the result is not contiguous (strides {strides}); it should be",
        "zh": "结果的内存不连续（strides {strides}）；题目要求连续",
    },
    "direct-not-contiguous": {
        "en": "the result is contiguous (strides {strides}); it should be left where it lies in memory",
        "zh": "结果的内存是连续的（strides {strides}）；题目要求保持原样，不要搬动",
    },
    "direct-strides": {
        "en": "the result's strides are {strides}; {wanted} are asked for",
        "zh": "结果的 strides 是 {strides}；题目要的是 {wanted}",
    },
    "direct-apart": {
        "en": "`{call}` makes a tensor {shape}; no tensor may have the axes {apart} together",
        "zh": "`{call}` 造出了形状为 {shape} 的张量；任何张量都不能同时有 {apart} 这两维",
    },
    "direct-large": {
        "en": "`{call}` makes a tensor {shape} with {entries} entries; the limit is {sum} = {most}",
        "zh": "`{call}` 造出了形状为 {shape} 的张量，有 {entries} 个数；上限是 {sum} = {most}",
    },
    "direct-large-result": {
        "en": "the result takes memory for {entries} entries; the limit is {sum} = {most}",
        "zh": "结果占了 {entries} 个数的内存；上限是 {sum} = {most}",
    },
    "direct-carried": {
        "en": "`{name}` grows by {entries} {entries:number|numbers} with each position; the limit is {sum} = {most}",
        "zh": "`{name}` 每多一个位置就多存 {entries} 个数；上限是 {sum} = {most}",
    },
    "direct-again": {
        "en": "`{call}` is given {rows} positions where {sum} = {most} are new: what the cache holds is worked out again",
        "zh": "`{call}` 处理了 {rows} 个位置，新的只有 {sum} = {most} 个：cache 里已有的又算了一遍",
    },
    "gradient-nan": {
        "en": "NaN arises here and is replaced later; its gradient stays NaN, so prevent it from arising",
        "zh": "这里产生了 NaN，之后才被替换掉；它的梯度仍是 NaN，应当不让它产生",
    },
    # Of a gradient that is NaN where no NaN arises forwards, but an infinity.
    "gradient-overflow": {
        "en": "this overflows to infinity where the result does not take it; its gradient is 0 · inf, "
        "which is NaN, so limit what goes in",
        "zh": "这里溢出成了无穷大；结果虽然没有用到它，梯度却是 0 · inf，也就是 NaN，应当先限制传进去的值",
    },
    "mask-dtype": {
        "en": "the mask is not accepted as {dtypes}; compare it, `mask == 0`, which works for every dtype",
        "zh": "代码不接受 {dtypes} 的 mask；请用比较 `mask == 0`，任何 dtype 都行",
    },
    "state-not-returned": {
        "en": "no `{name}` is returned after the output, so the next call starts from nothing",
        "zh": "输出后面没有返回 `{name}`，下一次调用只能从头开始",
    },
    "dtype-fixed": {
        "en": "a dtype is hard-coded; use the input's: `x.dtype`",
        "zh": "代码里写死了 dtype；请用输入的：`x.dtype`",
    },
}
