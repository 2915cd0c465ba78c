// The built-in table of line shapes: data only. The particular forms come first, the general ones last.
#include <array>

#include "recorder/log_shapes.h"

namespace leakhunt::recorder {
namespace {

constexpr bool kLast = true;

// `{size}` stands for a number with or without a unit (log_shapes.h).
// clang-format off
const std::array kShapes = {
    // ---- lines whose words would mislead a general form
    LogShape{"psram", R"((?i)psram alloc(?:ation)? failed, using)", "", "", kLast},
    LogShape{"mdf memory record", R"(Memory record, num: \d+, size: )", "", "", kLast},
    LogShape{"heap guard", R"(heap too low \[\d+\] -> reboot)", "", "low_memory", kLast},
    LogShape{"jvm gc",
             R"(\[(?:Full )?GC \([^)]*\).*?\d+[KMG]->(?P<used>\d+[KMG])\((?P<total>\d+[KMG])\))"
             R"((?:\s|,|$))",
             "", "", kLast},
    LogShape{"jvm unified gc", R"(\bGC\(\d+\) Pause .*?\d+[KMG]->(?P<used>\d+[KMG])\((?P<total>\d+[KMG])\))",
             "", "", kLast},
    LogShape{
        "v8 gc",
        R"((?:(?P<uptime_ms>\d+) ms: )?(?:Mark-[Ss]weep|Mark-Compact|Scavenge)[^>]*[\d.]+ \([\d.]+\) -> )"
        R"((?P<used>[\d.]+) \((?P<total>[\d.]+)\) MB)",
        "MiB", "", kLast},
    LogShape{"go gctrace", R"(^gc \d+ @(?P<uptime>[\d.]+)s .*?[\d.]+->[\d.]+->(?P<used>[\d.]+ MB))", "", "",
             kLast},
    LogShape{"esp-idf heap region", R"(^At 0x[0-9a-fA-F]+ len \d+ free \d+ allocated )", "", "", kLast},
    LogShape{"esp-idf heap region blocks", R"(^largest_free_block \d+ alloc_blocks \d+)", "", "", kLast},
    LogShape{"esp-idf heap totals",
             R"(^free (?P<free>\d+) allocated \d+ min_free (?P<min>\d+) largest_free_block (?P<largest>\d+))",
             "", "", kLast},
    LogShape{"platformio build", R"(^(?:RAM|Flash):\s+\[[= ]*\])", "", "", kLast},
    LogShape{"go memstats", R"(\bAlloc\s?=\s?(?P<used>{size})\b.*\bTotalAlloc\b)", "", "", kLast},

    // ---- Linux: the kernel, systemd, containers, /proc
    LogShape{"kernel oom kill",
             R"(Out of memory: Kill|Memory cgroup out of memory|invoked oom-killer|oom-kill:constraint)", "",
             "out_of_memory"},
    LogShape{"kernel oom victim", R"(Killed process \d+ .*anon-rss:(?P<rss>\d+kB))", "", "", kLast},
    LogShape{"kernel oom table", R"(Tasks state \(memory values in pages\))", "", "out_of_memory", kLast},
    LogShape{
        "systemd oom",
        R"((?i)killed by the OOM killer|oom-kill'|OOMKilled"?\s*[:=]\s*"?true|OOMKilled\s*(?:$|[^\s":=])|)"
        R"(exited with code 137\b|\bcontainer oom\b|exitCode=137\b|^Killed$)",
        "", "out_of_memory"},
    LogShape{"proc status", R"(^VmRSS:?\s+(?P<rss>\d+ kB))", "", "", kLast},
    LogShape{"docker stats",
             R"((?:(?P<thread>\S+)\s+)?[\d.]+%\s+(?P<used>[\d.]+\s?[KMG]?i?B)\s+/\s+(?P<total>[\d.]+\s?[KMG]?i?B)\s)", "", "",
             kLast},
    LogShape{"container usage and limit",
             R"(^(?P<thread>[A-Za-z][\w.-]*)\s+(?P<used>[\d.]+\s?[KMG]i?B) / (?P<total>[\d.]+\s?[KMG]i?B)\b)", "", "",
             kLast},
    LogShape{"free in MiB", R"(^Mem:\s+(?P<total>\d{1,5})\s+(?P<used>\d+)\s+\d+\s+\d+\s+\d+)", "MiB", "",
             kLast},
    LogShape{"free", R"(^Mem:\s+(?P<total>{size})\s+(?P<used>{size})\s+[\d.]+\S*\s+[\d.]+\S*\s+[\d.]+)", "KiB",
             "", kLast},
    LogShape{"systemd status", R"(^Memory: (?P<used>[\d.]+[KMG])\b)", "", "", kLast},
    LogShape{"prometheus resident memory",
             R"(^process_resident_memory_bytes(?:\{[^}]*\})? (?P<rss>[\d.]+(?:e\+\d+)?))"
             R"((?: (?P<time>\d{10,13}))?$)",
             "", "", kLast},
    LogShape{"prometheus other process metric", R"(^(?:process|go)_[a-z_]+(?:\{[^}]*\})? [\d.])", "", "", kLast},
    LogShape{"top of the system", R"(^[KMG]iB (?:Mem|Swap)\s*:)", "", "", kLast},

    // ---- times that stand inside a line
    LogShape{
        "time key",
        R"~((?i)(?:^|[{,\s])"?@?(?:time|ts|t|timestamp|unix_?time|epoch|date_?time)"?\s?[:=]\s*"?(?P<time>)~"
        R"~(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:Z+-]*|\d{10}(?:\.\d+)?|\d{13})(?:"|[,\s}]|$))~",
        "", ""},

    // ---- firmware of other projects
    LogShape{
        "esphome sensor",
        R"('[^']*(?i:heap free|free heap|free memory|free ram)[^']*': Sending state (?P<free>[\d.]+ k?B))",
        "", "", kLast},
    LogShape{"esphome largest block",
             R"('[^']*(?i:max block|largest|biggest)[^']*': Sending state (?P<largest>[\d.]+ k?B))", "", "",
             kLast},
    LogShape{
        "esphome low water",
        R"('[^']*(?i:heap min|min(?:imum)?.{0,6}(?:heap|free))[^']*': Sending state (?P<min>[\d.]+ k?B))", "",
        "", kLast},
    LogShape{"esphome other sensor", R"('[^']*': Sending state )", "", "", kLast},
    LogShape{"esphome debug", R"(\[debug:\d+\]: (?:Free )?Heap(?: Size)?: ?(?:Free[:= ]+)?(?P<free>{size}))",
             "", ""},
    LogShape{"tasmota state", R"("Heap":\s*(?P<free>[\d.]+))", "KiB", ""},
    LogShape{"tasmota uptime", R"("UptimeSec":\s*(?P<uptime>\d+))", "", ""},
    LogShape{"tasmota clock start", R"(RTC: UTC .*, DST )", "", "boot"},
    LogShape{"ems-esp memory", R"("freeMem":\s*(?P<free>\d+))", "auto", ""},
    LogShape{"ems-esp block", R"("maxAlloc":\s*(?P<largest>\d+))", "auto", ""},
    LogShape{"ems-esp uptime", R"("uptimeSec":\s*(?P<uptime>\d+))", "", ""},
    LogShape{"wled info", R"("freeheap":\s*(?P<free>\d+))", "", ""},
    LogShape{"wled runtime", R"(^Runtime: (?P<uptime_ms>\d+))", "", "", kLast},
    LogShape{"wled low heap", R"(Heap too low!\s*(?P<free>{size})?)", "", "low_memory", kLast},
    LogShape{"espeasy watchdog task", R"(\bWD\s*: Uptime \d+ .*FreeMem (?P<free>\d+))", "", "", kLast},
    LogShape{"dsmr debug column", R"(^\[\s*(?P<free>\d+)\|\s*(?P<largest>\d+)\])", "", ""},
    LogShape{"low heap bail-out", R"((?i)\blow heap \(?(?P<free>\d+) ?bytes)", "", "low_memory", kLast},
    LogShape{"meshcore stats", R"("heap_int_free":\s*(?P<free>\d+))", "", ""},
    LogShape{"meshcore low water", R"("heap_int_min":\s*(?P<min>\d+))", "", ""},
    LogShape{"uptime key", R"("uptime_?se?c?s?(?:onds)?":\s*"?(?P<uptime>\d+))", "", ""},
    LogShape{"uptime text", R"((?i)^"?uptime"?\s*[:= ]\s*"?(?P<uptime>[\dT:.+d ]*\d)s?"?,?$)", "", ""},
    LogShape{"rtnode telemetry", R"(\[HEAP-TEL\] [a-z]+: -?\d+ bytes \(heap=(?P<free>\d+) )", "", "", kLast},
    LogShape{"rtnode telemetry without level", R"(\[HEAP-TEL\])", "", "", kLast},
    LogShape{"meshcom heap", R"(\[HEAP\];(?P<free>\d+);)", "", "", kLast},
    LogShape{"otgateway heap",
             R"(Free heap size: (?P<free>\d+) of (?P<total>\d+) bytes)"
             R"((?: \(min: (?P<min>\d+), .*max free block: (?P<largest>\d+))?)",
             "", "", kLast},
    LogShape{"esp-matter heap", R"(Free internal (?P<free>\d+) biggest block (?P<largest>\d+))", "", "",
             kLast},
    LogShape{"arduino cycle report",
             R"(Free heap: \d+ :: .*ESP Free Heap: (?P<free>\d+) :: Minimum Free Heap: (?P<min>\d+))", "", "",
             kLast},
    LogShape{"memory line",
             R"(Memory - Free:\s*(?P<free>\d+), Min:\s*(?P<min>\d+), Largest:\s*(?P<largest>\d+))", "", "",
             kLast},
    LogShape{"free, max block",
             R"((?i)\bfree:\s*(?P<free>{size})\s*\|\s*max(?: block)?:\s*(?P<largest>{size}))", "", "", kLast},
    LogShape{"micropython mem_info", R"(GC: total: (?P<total>\d+), used: \d+, free: (?P<free>\d+))", "", "",
             kLast},
    LogShape{"zephyr sys_heap", R"((?i)free (?:bytes)?\s*(?P<free>\d+), max(?:imum)? allocated)", "", "",
             kLast},

    LogShape{"log record as text",
             R"(^\d+ (?P<time>\d{10}) '[^']*' '[-+]{6} Thread (?P<thread>[^']{1,64}) (?:leaked|freed) heap )"
             R"((?P<before>\d+) -> (?P<after>\d+) \(-?\d+\))",
             "", "", kLast},

    // ---- trouble
    LogShape{"out of memory",
             R"((?i)\bout of memory\b|std::bad_alloc|OutOfMemoryError|OutOfMemoryException|MemoryError\b)",
             "", "out_of_memory"},
    LogShape{"esp8266 failed allocation", R"(last failed alloc call: [0-9A-Fa-f]+\(\d+\))", "",
             "allocation_failure"},
    LogShape{
        "failed allocation",
        R"((?i)failed to (?:m?alloc|allocate|re-?alloc)|[mcre]+alloc\w*\W{0,3}(?:\w+ ){0,2}failed|)"
        R"(could ?n[o']t (?:be )?(?:m?alloc|allocate)|(?:memory )?allocation (?:failed|error|failure)|)"
        R"(alloc(?:ation)? fail|\bm f (?:null|beacon|probe|auth|assoc)|alloc eb ?_?fail|fail to alloc|\bno more memory\b|)"
        R"(\bno mem(?:ory)? (?:for|left|available)\b|cannot allocate memory|not enough (?:memory|heap)|insufficient memory|)"
        R"(returned -0x7F00|ESP_ERR_NO_MEM|NRF_ERROR_NO_MEM|(?:\b|_)ENOMEM\b|memory allocation of \d+ bytes failed|(?:was called but )failed to allocate)",
        "", "allocation_failure"},
    LogShape{"low memory", R"((?i)\blow (?:memory|heap)\b(?:[^\d\n]{0,12}(?P<free>\d+)\s?(?:bytes|B)\b)?)",
             "", "low_memory"},
    LogShape{"heap below guard", R"((?i)\b(?:heap|memory) (?:too low|critically low|exhausted)\b)", "",
             "low_memory"},
    LogShape{"watchdog",
             R"((?i)task watchdog got triggered|interrupt wdt timeout|wdt reset|watchdog (?:reset|timeout|)"
             R"(triggered|bite)|\bTG[01]?WDT_|RTCWDT_RTC_RESET|Soft WDT|rst cause:\s?4\b)",
             "", "watchdog"},
    LogShape{"brownout", R"(\bBrownout detector was triggered)", "", "panic"},
    LogShape{
        "panic",
        R"((?i)guru meditation|panic'?ed|panic_abort|\bHARD ?FAULT\b|stack smashing|CORRUPT HEAP|ZEPHYR FATAL ERROR|\*{5} (?:MPU|BUS|USAGE) FAULT|^\*\*\* PANIC \*\*\*|^assertion ".*" failed|^assert failed:|Exception \(\d+\):|)"
        R"(\bkernel panic\b|segmentation fault|SIGSEGV|core dumped)",
        "", "panic"},
    LogShape{"abort", R"(abort\(\) was called|\bSIGABRT\b|^Aborting\.|: Aborting\.$)", "", "abort"},
    LogShape{"rom line", R"(rst:0x[0-9a-fA-F]+ \(|ets [A-Z][a-z]{2} +\d+ \d{4})", "", "boot"},
    LogShape{"boot banner",
             R"((?i)\b(?:system )?booting\b|boot(?:ed|ing) (?:from|up|into|complete)|cpu_start: |)"
             R"(running through setup\(\)|restart(?:ed)? reason|reset reason|rst_info|power[- ]on reset|)"
             R"(starting (?:kernel|firmware)|^\*\*\* booting zephyr)",
             "", "boot"},
    LogShape{"planned restart", R"((?i)\b(?:rebooting|restarting|will reboot|reboot in|esp_restart)\b)", "",
             "planned_reboot"},

    LogShape{"device in brackets",
             R"((?i)^\[(?P<thread>[a-z][\w-]{2,31})\]\s+(?:free[ _-]?heap|heap[ _-]?free|free[ _-]?mem(?:ory)?)\s?[:=]\s*)"
             R"((?P<free>{size}))",
             "", "", kLast},

    // ---- general forms
    LogShape{"internal memory",
             R"((?i)(?:^|[^a-z_ ] *|\b(?:free|heap) )(?:internal|dram)(?: heap| ram| memory| free)?["']?\s?[:=]\s*)"
             R"((?P<free>{size}))",
             "", ""},
    LogShape{"free, allocated",
             R"((?i)^\W*(?:gc[.: ]*)?(?:mem[_ ])?free(?:\(\))?\s?[:=]?\s*(?P<free>{size})\W+(?:mem[_ ])?)"
             R"(alloc(?:ated)?\b)",
             "", "", kLast},
    LogShape{
        "low-water mark",
        R"((?i)(?:min(?:imum)?(?:[ _-]ever)?[ _-]?free[ _-]?(?:heap|mem(?:ory)?|ram|bytes|size)?[ _-]?(?:size|ever)?|)"
        R"((?:heap|mem|ram)[ _-]?(?:int[ _-])?(?:min(?:imum)?(?:[ _-](?:free|ever))*|watermark|low[ _-]?water)|)"
        R"((?:low[ _-]?)?water ?mark|min[ _]?heap)["']?\s?[:=]?\s*(?P<min>{size}))",
        "", ""},
    LogShape{
        "largest block",
        R"((?i)(?:(?:largest|biggest|max(?:imum)?)[ _-]?(?:available |free |contiguous |alloc(?:atable)? ?)*)"
        R"((?:heap )?(?:_?free_?)?[ _-]?(?:block|alloc|chunk)(?:[ _-]?size)?|maxblock|max_alloc|maxalloc|)"
        R"(max[ _]free[ _]block|\b(?:largest|biggest)(?: free)?|\b(?:max_?)?(?:blk|block))["']?\s?[:=]?\s*(?P<largest>{size}))",
        "", ""},
    LogShape{"heap total",
             R"((?i)\b(?:total[ _-]?(?:heap|mem(?:ory)?|ram)|heap[ _-]total|ram_total)["']?\s?[:=]\s*)"
             R"((?P<total>{size}))",
             "", ""},
    LogShape{"uptime anywhere",
             R"((?i)\buptime["']?\s?[:=]\s*"?(?P<uptime>\d+(?:\.\d+)?)\s?(?:s|secs?|seconds)?(?:["\s,;}]|$))",
             "", ""},
    LogShape{"free of total",
             R"((?i)\b(?:heap|mem(?:ory)?|ram)\b\s?[:=]?\s*(?P<free>\d+)/(?P<total>\d+) (?:B|bytes)? ?free)",
             "", "", kLast},
    LogShape{"used and free",
             R"((?i)\b(?:heap|mem(?:ory)?|ram)\b.*\bused\b.*?(?P<free>\d[\d,]* ?(?:bytes|B)) free\b)", "", "",
             kLast},
    LogShape{
        "free heap",
        R"((?i)(?:^|get_?|[^a-z_](?:esp |internal |available |current )?|setup )(?P<label>)"
        R"((?:free[ _-]?(?:heap|mem(?:ory)?|ram|dram|internal)|heap[ _-]?free|mem[ _-]?free|d?ram[ _-]?free|)"
        R"(internal free|available (?:heap|memory|ram)|avail(?:able)?[ _]?mem|free[ _]bytes)[ _-]?(?:size|bytes)?)"
        R"((?: (?:before|after|at|while|when|in|during) [^:=\d]{1,40})?)(?:\(\))?\)?["']?(?:\s?[:=]|\sis)?\s*)"
        R"((?P<free>{size}))",
        "", ""},
    LogShape{"heap, free",
             R"((?i)\b(?:heap|mem(?:ory)?|ram)\b[^\d=]{0,20}\bfree\b["']?\s?[:=]?\s*(?P<free>{size}))", "",
             ""},
    LogShape{"bytes free",
             R"((?i)\b(?P<free>\d[\d,]* ?(?:bytes|kB|KiB|MB|MiB|B)) (?:of (?:heap|memory|ram) )?free\b)", "",
             ""},
    LogShape{"free of total with unit",
             R"((?i)\b(?:heap|mem(?:ory)?|ram)\b[^\n]{0,24}?(?P<free>\d+(?:\.\d+)?)\s?(?:of|/)\s?\d+(?:\.\d+)?)"
             R"(\s?(?P<unit>[KMG]i?B)\s+free\b)",
             "", "", kLast},
    LogShape{"used of total",
             R"((?i)\b(?:heap|mem(?:ory)?|ram)\b[^\n]{0,24}?\(?(?P<used>\d+(?:\.\d+)?)\s?(?:of|/)\s?)"
             R"((?P<total>\d+(?:\.\d+)?)\s?(?P<unit>[KMG]i?B)\b)",
             "", "", kLast},
    LogShape{"number free", R"((?i)\b(?:heap|mem(?:ory)?|ram)\b\s?[:=]?\s*(?P<free>\d[\d,]*) free\b)", "", "",
             kLast},
    LogShape{"resident set",
             R"((?i)(?:\b|_)(?:rss|pss|resident(?:[ _-]set)?(?:[ _-]size)?|private[ _-]memory|working[ _-]set))"
             R"((?:[ _]?\(?(?:/ ?|in )?(?P<unit>[KMG]i?B|bytes)\b\)?)?["']?\s?[:=]?\s*(?P<rss>{size}))",
             "auto", ""},
    LogShape{"memory used",
             R"((?i)(?:\b(?:mem(?:ory)?|heap|ram)[._ -]?(?:usage(?:_in_bytes)?|used|use|in use|alloc)|)"
             R"(used[ _-]?(?:mem(?:ory)?|heap|ram)|heapUsed|\ballocated(?: bytes)?|\balloc)\b)"
             R"((?:\s?\(?(?:/ ?|in )?(?P<unit>[KMG]i?B)\)?)?["']?\s?[:=]?\s*(?P<used>{size}))",
             "", ""},
    LogShape{"heap before and after",
             R"((?i)(?:^|[^a-z_])(?P<label>heap (?:before|after|at|while|during)[^:=\d]{0,40}?)\s?[:=]\s*(?P<free>{size}))",
             "", ""},
    LogShape{"heap, free in units of the name",
             R"((?i)\b(?:free[_ ]?(?:heap|mem|ram)|(?:heap|mem|ram)[_ ]?free|heap|mem|ram)_?(?P<unit>ki?b)["']?\s?[:=]\s*)"
             R"((?P<free>{size}))",
             "", ""},
    LogShape{"heap among other keys",
             R"((?i)(?:^|[\s,;|({>\]])(?:heap|free)\s?[:=]\s*(?P<free>\d{4,}|\d+(?:\.\d+)?\s?[km]i?b)(?:$|[\s,;|)}\]]))",
             "", ""},
    LogShape{"guess: free and a number",
             R"((?i)(?:^|[\s,;:|({>\]])free (?P<free>\d{4,}(?:\s?B(?:ytes)?)?|\d+(?:\.\d+)?\s?[km]i?b)(?:$|[\s,;|)]))",
             "", ""},
    LogShape{"heap alone", R"((?i)^(?:\[[^\]]*\]\s*)*(?:heap|free)\s?[:=]\s*(?P<free>{size})\s*$)", "", ""},
    LogShape{"guess: size with a binary unit", R"((?:^|[\s,=:(])(?P<used>\d+(?:\.\d+)?\s?[KMG]i?B)(?:$|[\s,;)]))",
             "", ""},
};
// clang-format on

}  // namespace

std::span<const LogShape> built_in_log_shapes() {
  return kShapes;
}

}  // namespace leakhunt::recorder
