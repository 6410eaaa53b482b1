"""What is said about one's own files, records and settings."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    # The program's name alone, next, reset, run.
    ("home-passed", "{passed} of {count} katas passed; {due}", "{count} 道题通过了 {passed} 道；{due}"),
    ("home-due", "due today: {names}", "今天该重写：{names}"),
    ("home-due-none", "nothing is due today", "今天没有要重写的题"),
    ("step-title", "{title} ({minutes})", "{title}（{minutes}）"),
    ("step-unfinished", "begun and not passed yet: go on in {file}", "已经开始，还没通过：接着写 {file}"),
    ("step-new", "new: its stub goes into {file}", "新题：骨架写到 {file}"),
    ("step-due", "due: to be written again from an empty stub, in {file}",
     "该重写了：从空白骨架写起，写在 {file}"),
    ("step-due-again", "due: to be written again from an empty stub, in {file}; what is there is kept "
     "as a backup", "该重写了：从空白骨架写起，写在 {file}；原来的文件会留作备份"),
    ("home-enter", "Enter: begin with {kata} in `watch`, where every save is judged; q and Enter: leave",
     "按回车：用 `watch` 开始写 {kata}，每次保存都评判；按 q 再回车：离开"),
    ("home-enter-edit", "Enter: begin with {kata} in {editor}, then in `watch`, where every save is "
     "judged; q and Enter: leave", "按回车：先用 {editor} 打开 {kata}，再用 `watch` 每次保存都评判；按 q 再回车：离开"),
    ("home-done", "every kata is passed; next comes a mock interview, or any kata once more",
     "所有题都通过了；接下来可以做一次模拟面试，或者把哪道题再写一遍"),
    ("edit-alone", "`--edit` works only on its own or with `next`",
     "`--edit` 只能单独用，或和 `next` 一起用"),
    ("no-editor", "no editor is set: `--edit` opens the one of `attn-kata config editor`, VISUAL or "
     "EDITOR", "没有设置编辑器：`--edit` 会打开 `attn-kata config editor`、VISUAL 或 EDITOR 里的编辑器"),
    ("editor-missing", "no editor called `{name}` was found", "找不到叫 `{name}` 的编辑器"),
    ("editor-unread", "the editor's command cannot be split into words: {text}", "编辑器的命令拆不成词：{text}"),
    ("editor-failed", "`{name}` cannot be started: {reason}", "启动不了 `{name}`：{reason}"),
    ("reset-ask", "begin {kata} again with a fresh stub in {file}? what is there is kept as a backup",
     "用一份新的骨架在 {file} 重写 {kata} 吗？原来的文件会留作备份"),
    ("reset-kept", "nothing was changed", "没有做任何改动"),
    ("reset-needs-yes", "without a terminal there is nobody to ask before {file} is replaced with "
     "a fresh stub; add `--yes` to replace it", "不在终端里，没法先问一声就用新的骨架换掉 {file}；要换请加上 `--yes`"),
    ("run-one-file", "`run` runs one file at a time", "`run` 一次只运行一个文件"),
    ("run-notebook", "{file} is a notebook, which Python does not run as a script",
     "{file} 是 notebook，Python 不能把它当脚本运行"),
    # explain, alone or with a kata.
    ("pages-scale", "The scale of the scores", "分数的缩放"),
    ("pages-softmax", "Softmax", "softmax"),
    ("pages-mask", "Masks", "mask"),
    ("pages-causal", "The causal mask", "因果 mask"),
    ("pages-roles", "Queries, keys and values", "query、key、value"),
    ("pages-heads", "Heads", "多头"),
    ("pages-projection", "Projections, and what goes around them", "投影，以及它前后多出来的东西"),
    ("pages-dropout", "Dropout", "dropout"),
    ("pages-running", "How the code runs: sizes, gradients, devices, memory",
     "代码怎么运行：尺寸、梯度、device、内存"),
    ("pages-remarks", "Remarks on code that is right", "对正确代码的备注"),
    # Which file is meant.
    ("kata-several", "{file} answers several katas: say which one is meant",
     "{file} 里有好几道题的答案，请说明要评判哪一道"),
    ("defines", "in it", "其中有"),
    ("class-also", "{chosen} was judged; in {file} these fit {kata} too: {names}; `--class NAME` "
     "judges one of them", "评判的是 {chosen}；{file} 里这些类也符合 {kata}：{names}；用 `--class 名字` 评判其中一个"),
    ("several-here", "several files here answer {kata}: {files}", "这里有好几个 {kata} 的文件：{files}"),
    ("elsewhere", "there is no file for {kata} in this folder; the last one is {file}",
     "这个文件夹里没有 {kata} 的文件；最近的一个是 {file}"),
    ("elsewhere-ask", "there is no file for {kata} here; take {file}?",
     "这里没有 {kata} 的文件，用 {file} 吗？"),
    ("watch-input", "`watch` follows a file, and standard input is not one",
     "`watch` 监听的是文件，标准输入不是文件"),
    # Under a verdict.
    ("next-watch", "watch", "监听"),
    ("count-passed", "{checks} checks, {cases} cases: all agree with the model answer (`-v` lists them)",
     "{checks} 项检查、{cases} 个用例都与参考答案一致（`-v` 逐项列出）"),
    # What is recorded, and forget.
    ("not-recorded", "not recorded: no kata was started in the folder of {file}; `--record` records "
     "it anyway", "没有记录：{file} 所在的文件夹里没有开始过题；加上 `--record` 就会记录"),
    ("not-recorded-input", "not recorded: it came by standard input; `--record` records it anyway",
     "没有记录：代码来自标准输入；加上 `--record` 就会记录"),
    ("forget-gone-1", "taken out of the history:", "已从历史记录中删去："),
    ("forget-gone", "{count} checks taken out of the history", "已从历史记录中删去 {count} 次评判"),
    ("forget-these", "{count} checks would go:", "将要删去 {count} 次评判："),
    ("forget-more", "and {count} earlier ones", "以及更早的 {count} 次"),
    ("forget-ask", "take all {count} out of the history?", "把这 {count} 次都从历史记录中删去吗？"),
    ("forget-kept", "nothing was taken out", "什么也没有删去"),
    ("forget-needs-yes", "without a terminal there is nobody to ask before {count} checks are taken "
     "out of the history; add `--yes` to take them out",
     "不在终端里，没法先问一声就从历史记录中删去 {count} 次评判；要删请加上 `--yes`"),
    ("forget-either", "`--last` and `--all` cannot be used together", "`--last` 和 `--all` 只能选一个"),
    # config
    ("settings", "settings", "设置项"),
    ("settings-file", "kept in {file}", "存放在 {file}"),
    ("setting-unset", "not set", "未设置"),
    ("setting-lang", "language: en or zh; by default the locale's",
     "语言：en 或 zh；未设置时按系统的语言"),
    ("setting-color", "colours: auto, always or never", "颜色：auto、always 或 never"),
    ("setting-editor", "what `--edit` opens; by default VISUAL or EDITOR",
     "`--edit` 打开的编辑器；未设置时用 VISUAL 或 EDITOR"),
    ("setting-overruled", "the variable {name} is set and takes precedence", "环境变量 {name} 优先"),
    ("setting-done", "`{name}` is {value} from now on", "`{name}` 从现在起是 {value}"),
    ("setting-gone", "`{name}` is not set any more", "`{name}` 已取消设置"),
    ("no-setting", "there is no setting `{name}`", "没有 `{name}` 这个设置项"),
    ("no-setting-near", "there is no setting `{name}`; did you mean {nearest}?",
     "没有 `{name}` 这个设置项；是不是 {nearest}？"),
    ("setting-choices", "`{name}` must be one of {wanted}", "`{name}` 只能是 {wanted} 之一"),
    ("setting-text", "`{name}` must be text on one line", "`{name}` 应是一行文字"),
    ("setting-which", "`--unset` needs the name of a setting", "`--unset` 后面要有设置项的名字"),
    ("setting-both", "a value and `--unset` cannot be used together", "给了值就不能再用 `--unset`"),
    ("settings-broken", "{file} cannot be read at line {line} ({reason}); it is left as it is, "
     "and its settings are ignored until that is fixed",
     "{file} 第 {line} 行读不懂（{reason}）；文件原样保留，改好之前里面的设置都不生效"),
    ("settings-unknown", "{file}, line {line}: there is no setting `{name}`; there are {names}",
     "{file} 第 {line} 行：没有 `{name}` 这个设置项；有的是 {names}"),
    ("settings-choices", "{file}, line {line}: `{name}` must be one of {wanted}",
     "{file} 第 {line} 行：`{name}` 只能是 {wanted} 之一"),
    ("settings-text", "{file}, line {line}: `{name}` must be text on one line",
     "{file} 第 {line} 行：`{name}` 应是一行文字"),
)  # fmt: skip
