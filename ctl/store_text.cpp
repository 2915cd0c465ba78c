// A line for the room, one for each kind of a device of which something went.
#include "ctl/store_text.h"

#include <fmt/format.h>

#include "ctl/text.h"

namespace leakhunt::ctl {

std::string store_text(const v1::StoreStatus& store) {
  std::string out;
  if (store.has_days_that_fit()) {
    out += fmt::format("room        : {} days", figure(store.days_that_fit()));
    if (store.has_bytes_per_day()) {
      out += fmt::format(" at {} B a day", grouped(static_cast<std::int64_t>(store.bytes_per_day())));
    }
    if (store.limit_bytes() > 0) out += fmt::format(", the limit being {} B", grouped(store.limit_bytes()));
    out += "\n";
  }
  for (const v1::Kept& kept : store.kept()) {
    if (kept.dropped_rows() == 0) continue;
    out += fmt::format("dropped     : {} of {}: {} rows up to {}, {}\n", kept.kind(), kept.device(),
                       grouped(kept.dropped_rows()), local_time(kept.dropped_until()),
                       kept.dropped_by() == "size" ? "for want of room" : "by their age");
  }
  return out;
}

}  // namespace leakhunt::ctl
