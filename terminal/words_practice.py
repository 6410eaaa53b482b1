"""What the practice loop says: watch, history, what is due."""

from __future__ import annotations

__all__ = ["ROWS"]

ROWS: tuple[tuple[str, str, str], ...] = (
    # Times and dates.
    ("date", "{day} {month}", "{month_number}月{day}日"),
    ("months", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", ""),
    ("today", "today", "今天"),
    ("tomorrow", "tomorrow", "明天"),
    ("yesterday", "yesterday", "昨天"),
    ("days-ago", "{count} days ago", "{count} 天前"),
    ("in-days", "in {count} days", "{count} 天后"),
    ("seconds", "{count} s", "{count} 秒"),
    ("minutes", "{count} min", "{count} 分钟"),
    ("hours", "{hours} h {minutes} min", "{hours} 小时 {minutes} 分钟"),
    ("best", "best {time}", "最快 {time}"),
    ("due-on", "due {when}", "{when}重写"),
    ("overdue", "due", "该重写了"),
    # history
    ("history-none", "nothing has been judged yet", "还没有评判过任何代码"),
    ("history-none-of", "nothing has been judged for {kata} yet", "{kata} 还没有评判过"),
    ("history-head", "{checks} checks, {passed} passed, {streak}", "评判 {checks} 次，通过 {passed} 次，{streak}"),
    ("streak-0", "none today or yesterday", "今天和昨天都没有练"),
    ("streak-1", "1 day in a row", "连续 1 天"),
    ("streak-many", "{count} days in a row", "连续 {count} 天"),
    ("history-checks-1", "1 check", "1 次"),
    ("history-checks", "{count} checks", "{count} 次"),
    ("history-first", "first pass at check {number}", "第 {number} 次首次通过"),
    ("history-first-in", "first pass at check {number}, {time}", "第 {number} 次首次通过，用时 {time}"),
    ("history-days", "checks a day, the last {count} days; the highest is {highest}",
     "最近 {count} 天每天的评判次数，最多一天 {highest} 次"),
    ("history-mistakes", "mistakes, and how often in each of the last {count} weeks",
     "错误，以及最近 {count} 周每周的次数"),
    ("history-more", "{count} earlier checks; `--csv` writes all", "更早还有 {count} 次；`--csv` 写出全部"),
    ("state-new", "new", "未做"),
    ("state-tried", "tried", "试过"),
    ("state-passed", "passed", "已通过"),
    ("json-or-csv", "`--json` and `--csv` cannot both be had", "`--json` 和 `--csv` 只能选一个"),
    # due
    ("due-head-1", "1 kata to write today", "今天要写 1 道题"),
    ("due-head", "{count} katas to write today", "今天要写 {count} 道题"),
    ("due-review", "last written {when}; {percent} % likely to be written right now",
     "上次写是{when}；现在写对的可能性约 {percent}%"),
    ("due-drill", "a drill: `{mistake}`, made in {count} sittings, the last time here",
     "专项练习：`{mistake}` 在 {count} 轮里犯过，最近一次就在这里"),
    ("due-unfinished", "tried {when} and not passed yet", "{when}试过，还没有通过"),
    ("due-nothing", "nothing is due today", "今天没有要重写的题"),
    ("due-next", "next is {kata}, {when}", "下一道是 {kata}，{when}"),
    ("due-first", "nothing has been passed yet, so nothing can be due", "还没有通过任何题，所以没有要重写的"),
    ("due-all-new", "a new one: {kata}, {title}", "新的一道：{kata}，{title}"),
    ("start-which", "`start` needs a kata, or `--due`", "`start` 后面要有题目，或者 `--due`"),
    ("start-either", "`start --due` picks the kata itself", "`start --due` 会自己选题"),
    ("history-unread", "the history at {file} cannot be read ({reason})",
     "读不了历史记录 {file}（{reason}）"),
)  # fmt: skip
