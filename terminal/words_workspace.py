"""What is said about one's own files, records and settings."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    # config
    ("settings", "settings", "设置项"),
    ("settings-file", "kept in {file}", "存放在 {file}"),
    ("setting-unset", "not set", "未设置"),
    ("setting-lang", "the language: en or zh; the locale's where it is not set",
     "语言：en 或 zh；未设置时按系统的语言"),
    ("setting-color", "colours: auto, always or never", "颜色：auto、always 或 never"),
    ("setting-editor", "what `--edit` opens; VISUAL or EDITOR where it is not set",
     "`--edit` 打开的编辑器；未设置时用 VISUAL 或 EDITOR"),
    ("setting-overruled", "the variable {name} is set and goes first", "环境变量 {name} 优先"),
    ("setting-done", "`{name}` is {value} from now on", "`{name}` 从现在起是 {value}"),
    ("setting-gone", "`{name}` is not set any more", "`{name}` 已取消设置"),
    ("no-setting", "there is no setting `{name}`", "没有 `{name}` 这个设置项"),
    ("no-setting-near", "there is no setting `{name}`; did you mean {nearest}?",
     "没有 `{name}` 这个设置项；是不是 {nearest}？"),
    ("setting-choices", "`{name}` is one of {wanted}", "`{name}` 只能是 {wanted} 之一"),
    ("setting-text", "`{name}` is a text, on one line", "`{name}` 应是一行文字"),
    ("setting-which", "`--unset` needs the name of a setting", "`--unset` 后面要有设置项的名字"),
    ("setting-both", "a value and `--unset` do not go together", "给了值就不能再用 `--unset`"),
    ("settings-broken", "{file} cannot be read at line {line} ({reason}); it is left as it is, "
     "and nothing in it counts until that is mended",
     "{file} 第 {line} 行读不懂（{reason}）；文件原样保留，改好之前里面的设置都不生效"),
    ("settings-unknown", "{file}, line {line}: there is no setting `{name}`; there are {names}",
     "{file} 第 {line} 行：没有 `{name}` 这个设置项；有的是 {names}"),
    ("settings-choices", "{file}, line {line}: `{name}` is one of {wanted}",
     "{file} 第 {line} 行：`{name}` 只能是 {wanted} 之一"),
    ("settings-text", "{file}, line {line}: `{name}` is a text, on one line",
     "{file} 第 {line} 行：`{name}` 应是一行文字"),
)  # fmt: skip
