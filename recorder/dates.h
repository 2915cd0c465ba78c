// Clocks and dates as people and programs write them. Each take_* moves the scanner behind what it reads or
// leaves it where it was.
#pragma once

#include <optional>

#include "recorder/stamp_scanner.h"

namespace leakhunt::recorder {

// `14:11:27[.5]`, with or without AM and PM, or `14:11` where `short_form` is allowed (`02:11 PM`
// always is): seconds since
// midnight.
std::optional<double> take_clock(StampScanner& in, bool short_form);

// `2026-03-02`, `2026/03/02`, `02.03.2026` (the day first), `03/02/2026` (the month first, unless it can be
// none), `20260302-100000`, `02/Mar/2026:10:00:01`, with or without a clock and a zone behind it: seconds
// since 1970.
std::optional<double> take_date(StampScanner& in);

// What `date` prints in English: `Mon Mar  2 10:00:00 UTC 2026`, `Mon  2 Mar 10:00:00 CET 2026`,
// `Monday, March 2, 2026 10:00:00 AM`, `Mon, 02 Mar 2026 10:00:00 +0100`. A named zone counts as UTC.
std::optional<double> take_written_date(StampScanner& in);

// `Oct 27 02:20:14`: as of the year 2000.
std::optional<double> take_syslog(StampScanner& in);

}  // namespace leakhunt::recorder
