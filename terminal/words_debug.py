"""What is said about finding bugs, in English and Chinese."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    (
        "debug-proving",
        "planting bugs in {kata}, and making sure that each can be found",
        "正在往 {kata} 里埋 bug，并确认每一处都找得到",
    ),
    (
        "debug-handed-out",
        "{file}: {kata} with {count} planted {count:bug|bugs}, seed {seed}",
        "{file}：{kata}，埋了 {count} 处 bug，随机种子 {seed}",
    ),
    (
        "debug-again",
        "what you got wrong before is planted more often, and is in it this time",
        "以前犯过或没找到的错误会更常出现，这次就有",
    ),
    (
        "debug-begun",
        "{file} is there already; an exercise that was begun is not overwritten",
        "{file} 已经在那里了；开始了的练习不会被覆盖",
    ),
    (
        "debug-none",
        "there is no exercise with planted bugs for {kata}",
        "{kata} 还没有找 bug 的练习",
    ),
    ("debug-no-level", "{kata} has no bugs of level {level}", "{kata} 没有 {level} 级别的 bug"),
    (
        "debug-too-many",
        "{kata} can have at most {most} {most:bug|bugs} and at least one, not {count}",
        "{kata} 至少埋 1 处、最多埋 {most} 处 bug，不能是 {count} 处",
    ),
    (
        "debug-unproved",
        "no file was found for seed {seed} in which every bug can be found",
        "随机种子 {seed} 凑不出一份每处 bug 都找得到的文件",
    ),
    (
        "debug-which-level",
        "no level is called `{level}`; there are junior, mid and senior",
        "没有叫 `{level}` 的级别；可选 junior、mid、senior",
    ),
    (
        "debug-of-file",
        "`debug` hands out an exercise for a kata; a file goes with `--say`, `--hint` or `--which`",
        "`debug` 按题目发练习；文件要和 `--say`、`--hint` 或 `--which` 一起用",
    ),
    (
        "debug-one-thing",
        "`--say`, `--hint`, `--which` and `--answer` are used one at a time",
        "`--say`、`--hint`、`--which`、`--answer` 一次只能用一个",
    ),
    ("debug-json", "`--json` goes with `--answer`", "`--json` 要和 `--answer` 一起用"),
    (
        "debug-none-begun",
        "there is no exercise in this folder, and none that was begun",
        "这个文件夹里没有找 bug 的练习，也没有开始过的",
    ),
    (
        "debug-no-exercise",
        "{file} is not an exercise of this version: its first line does not say which one it is",
        "{file} 不是这个版本的练习：第一行没有说明是哪一个",
    ),
    (
        "debug-say-what",
        "`{said}` does not begin with a line number; give one and, if you like, what is wrong there",
        "`{said}` 不是以行号开头的；请先写行号，后面可以写那里错在哪",
    ),
    (
        "debug-no-line",
        "the file has {count} {count:line|lines}, and no line {line}; nothing was claimed",
        "文件只有 {count} 行，没有第 {line} 行；这次不算",
    ),
    (
        "debug-no-such",
        "no mistake is called `{name}`, and nothing was claimed; the line alone is enough",
        "没有叫 `{name}` 的错误，这次不算；只写行号就够了",
    ),
    (
        "debug-ended",
        "the answer was shown, and this exercise has ended; nothing more is counted in it",
        "答案已经看过，这次练习结束了，之后的不再计入",
    ),
    (
        "debug-solved",
        "this exercise is solved, and nothing more is counted in it",
        "这次练习已经做完，之后的不再计入",
    ),
    ("claim-right", "right: there is a bug on line {line}", "对：第 {line} 行有 bug"),
    ("claim-right-named", "right: line {line} is {mistake}", "对：第 {line} 行就是 {mistake}"),
    (
        "claim-other-name",
        "line {line} is wrong, but not {mistake}",
        "第 {line} 行确实有 bug，但不是 {mistake}",
    ),
    ("claim-wrong", "no: nothing was planted on line {line}", "不对：第 {line} 行没有埋 bug"),
    (
        "claim-again",
        "you claimed line {line} already, and were right",
        "第 {line} 行已经说过了，说对了",
    ),
    (
        "claim-again-wrong",
        "you claimed that already, and it was wrong; it is not counted twice",
        "这个已经说过了，说错了；不会重复计算",
    ),
    ("claim-form", "LINE WHAT", "行号 错在哪"),
    (
        "claim-words",
        "what you said of it is not judged; `--answer` shows it beside the bug",
        "你写的说明不评分；`--answer` 会把它和答案放在一起",
    ),
    (
        "claim-count",
        "found so far: {right} of {bugs}; wrong claims, each of which counts: {wrong}",
        "目前找到 {right}/{bugs} 处；说错 {wrong} 次，会计入成绩",
    ),
    (
        "claim-clean",
        "found so far: {right} of {bugs}, without a wrong claim",
        "目前找到 {right}/{bugs} 处，没有说错过",
    ),
    ("debug-hint-area", "bug {number} is about: {about}", "第 {number} 处 bug 跟这个有关：{about}"),
    ("debug-hint-step", "bug {number} is in `{about}`", "第 {number} 处 bug 在 `{about}` 里"),
    (
        "debug-hint-outside",
        "bug {number} is outside all functions and classes",
        "第 {number} 处 bug 不在任何函数或类里",
    ),
    (
        "debug-hint-line",
        "bug {number} is on line {line} of the file as it was handed out",
        "第 {number} 处 bug 在第 {line} 行（按文件刚发下来时的行号）",
    ),
    ("debug-hints-over", "all hints were given", "提示已经给完了"),
    (
        "debug-mended",
        "{mended} of {count} planted {count:bug|bugs} mended",
        "{count} 处 bug，修好了 {mended} 处",
    ),
    (
        "debug-broken",
        "line {line} was right and is broken now: {mistake}",
        "第 {line} 行原来是对的，现在改坏了：{mistake}",
    ),
    (
        "debug-broken-unnamed",
        "line {line} was changed, and what is there now is wrong",
        "第 {line} 行改过，现在的写法是错的",
    ),
    (
        "debug-broken-somewhere",
        "each change on its own is right, but together they are not",
        "每处改动单独看都对，合在一起却不对",
    ),
    (
        "debug-changed",
        "right before, and changed without need: {count:line|lines} {lines}",
        "本来就对、不必改的地方：第 {lines} 行",
    ),
    (
        "debug-which",
        "mended, by the lines as they were handed out: {lines}",
        "修好的，按发下来时的行号：{lines}",
    ),
    (
        "debug-answer",
        "{file}: {found} of {count} found; this ends the exercise",
        "{file}：{count} 处里找到了 {found} 处；练习到此结束",
    ),
    (
        "debug-score",
        "wrong claims: {wrong}; hints: {hints}",
        "说错 {wrong} 次；用了 {hints} 次提示",
    ),
    ("debug-you-said", "you said: {words}", "你说的：{words}"),
    # What an interviewer says of a file that does not work.
    ("symptom-does-not-run", "it does not even run", "根本跑不起来"),
    (
        "symptom-raises",
        "it does not get through its first call: `{fault}`",
        "第一次调用就报错：`{fault}`",
    ),
    (
        "symptom-shape",
        "it runs, but what comes back has the shape {actual} where {expected} was expected",
        "能跑，但返回的形状是 {actual}，应该是 {expected}",
    ),
    (
        "symptom-some-shape",
        "it runs, but what comes back does not have the shape it should",
        "能跑，但返回的形状不对",
    ),
    ("symptom-nan", "it runs, and gives NaN: {case}", "能跑，但出来的是 NaN：{case}"),
    (
        "symptom-part",
        "`{name}` does not give what it should for what it is given",
        "输入没有问题，`{name}` 的结果却不对",
    ),
    (
        "symptom-part-cases",
        "`{name}` raises nothing, and comes out wrong for {failed} of {cases} "
        "{cases:input|inputs} tried; this one is enough to see it: {case}",
        "`{name}` 不报错，但试过的 {cases} 组输入里有 {failed} 组结果不对；拿这一组就能看出来：{case}",
    ),
    (
        "symptom-part-raises",
        "`{name}` raises `{fault}` for what it is given",
        "`{name}` 遇到正常的输入会报 `{fault}`",
    ),
    (
        "symptom-part-shape",
        "`{name}` gives back the shape {actual} where {expected} was expected",
        "`{name}` 返回的形状是 {actual}，应该是 {expected}",
    ),
    (
        "symptom-part-large",
        "`{name}` is right on ordinary inputs; where scores get large it is not",
        "`{name}` 对平常的输入是对的，分数一大就不对了",
    ),
    (
        "symptom-part-gradients",
        "what `{name}` returns is right; its gradients are not",
        "`{name}` 的输出是对的，梯度不对",
    ),
    (
        "symptom-part-dtypes",
        "`{name}` is right in double precision; in another dtype it is not",
        "`{name}` 在双精度下是对的，换一种 dtype 就不对了",
    ),
    (
        "symptom-part-dropout",
        "dropout in `{name}` does not do what it should: compare train mode and eval mode",
        "`{name}` 里的 dropout 行为不对：对比一下 train 和 eval",
    ),
    (
        "symptom-part-device",
        "`{name}` is right on the CPU; with its inputs on a GPU it is not",
        "`{name}` 在 CPU 上是对的，输入放到 GPU 上就不对了",
    ),
    (
        "symptom-also-device",
        "with the inputs on a GPU, something in it fails",
        "输入放到 GPU 上，里面有地方会出错",
    ),
    (
        "symptom-rest",
        "these give what they should: {names}",
        "这些的结果是对的：{names}",
    ),
    (
        "symptom-own",
        "each was tried by itself, with inputs that are right; what it calls in this file is "
        "called as it stands here",
        "每一个都是单独试的，输入没有问题；它调用的如果是这个文件里的，用的就是文件里现在的样子",
    ),
    (
        "symptom-values-case",
        "it raises nothing, and the numbers are wrong; this is enough to see it: {case}",
        "不报错，但数值不对；拿这一组就能看出来：{case}",
    ),
    (
        "symptom-values",
        "it raises nothing, and the numbers are wrong",
        "不报错，但数值不对",
    ),
    (
        "symptom-values-raises",
        "it works on some inputs, and on others it raises `{fault}`",
        "有些输入没问题，有些输入会报 `{fault}`",
    ),
    (
        "symptom-mask",
        "without a mask the numbers are right; with one they are not",
        "不带 mask 时数值是对的，带上就不对了",
    ),
    (
        "symptom-mask-raises",
        "without a mask it works; with some masks it raises `{fault}`",
        "不带 mask 时没问题，有些 mask 会让它报 `{fault}`",
    ),
    (
        "symptom-causality",
        "an output changes when something later in the sequence changes",
        "后面的内容一变，前面的输出也跟着变",
    ),
    ("symptom-lengths", "some lengths come out right, others do not", "有些长度是对的，有些不对"),
    (
        "symptom-lengths-raises",
        "some lengths work, others raise `{fault}`",
        "有些长度没问题，有些会报 `{fault}`",
    ),
    (
        "symptom-purity",
        "a call leaves something behind: its input, or the next call, is not what it was",
        "调用会留下痕迹：输入被改了，或者下一次调用的结果变了",
    ),
    (
        "symptom-stability",
        "on ordinary inputs it is right; where scores get large it is not",
        "平常的输入是对的，分数一大就不对了",
    ),
    ("symptom-gradients", "the outputs are right; the gradients are not", "输出是对的，梯度不对"),
    (
        "symptom-gradients-raises",
        "the outputs are right; the backward pass raises `{fault}`",
        "输出是对的，反向传播会报 `{fault}`",
    ),
    (
        "symptom-dropout",
        "dropout does not do what it should: compare train mode and eval mode",
        "dropout 的行为不对：对比一下 train 和 eval",
    ),
    (
        "symptom-dtypes",
        "in double precision it is right; in another dtype it is not",
        "双精度下是对的，换一种 dtype 就不对了",
    ),
    (
        "symptom-dtypes-raises",
        "in double precision it works; in another dtype it raises `{fault}`",
        "双精度下没问题，换一种 dtype 会报 `{fault}`",
    ),
    (
        "symptom-device",
        "on the CPU it is right; with its inputs on a GPU it is not",
        "在 CPU 上是对的，输入放到 GPU 上就不对了",
    ),
    (
        "symptom-structure",
        "it runs, but it is not built as the brief asks",
        "能跑，但结构和题目要求的不一样",
    ),
    (
        "symptom-parameters",
        "it runs, but its parameters are not what they should be",
        "能跑，但参数和应有的不一样",
    ),
    (
        "symptom-rules",
        "it gives what it should, by means that are not allowed here",
        "结果没错，但用了这里不允许的办法",
    ),
    ("symptom-wrong", "it runs, and something is wrong with it", "能跑，但有地方不对"),
    # In the practice loop.
    ("debug-due", "bugs to look for: {names}", "该找 bug 了：{names}"),
    ("debug-due-unfinished", "{kata} (begun)", "{kata}（还没做完）"),
    ("debug-due-missed", "{kata} (missed: {names})", "{kata}（上次没找到：{names}）"),
    ("debug-due-plain", "{kata}", "{kata}"),
    (
        "debug-tally",
        "finding bugs: {count} {count:exercise|exercises}, {solved} solved, {clean} of them without a wrong claim or a hint",
        "找 bug：{count} 次练习，做完 {solved} 次，其中 {clean} 次没说错也没用提示",
    ),
    # For those who work on the project.
    (
        "exercises-kata",
        "{pairs} proved, of {mistakes} mistakes in {hosts} files",
        "{pairs} 处已验证，{hosts} 个文件里的 {mistakes} 种错误",
    ),
    (
        "exercises-sum",
        "{sum} different exercises with one bug, as the files are written",
        "共 {sum} 个只有一处 bug 的不同练习（文件按原样）",
    ),
    (
        "exercises-sum-formed",
        "{sum} different exercises with one bug: {pairs} as the files are written, and {others} "
        "counted in other forms",
        "共 {sum} 个只有一处 bug 的不同练习：{pairs} 个按原样，{others} 个换了写法",
    ),
    ("exercises-proved", "{found} of {tried} proved", "{tried} 处里 {found} 处已验证"),
    (
        "exercises-host",
        "{file}: the judge rejects it; mend it or remove it",
        "{file}：评判没有通过；改好它，或者拿掉",
    ),
    (
        "exercises-trials",
        "{good} of {count} fail as handed out, pass once mended, and name the one bug that is left",
        "{count} 个里 {good} 个：发下来时不通过，改好后通过，留下一处时能点出那一处",
    ),
)
