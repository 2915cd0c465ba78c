// What only the running recorder knows, as a Status message. The engine adds what the store knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "daemon/alert_desk.h"
#include "daemon/link_status.h"
#include "leakhunt/v1/api.pb.h"
#include "storage/queue.h"
#include "storage/writer_thread.h"

namespace leakhunt::daemon {

struct LiveParts {
  Utc now;
  Utc started_at;
  std::optional<double> time_scale;  // set when time is virtual
  std::string store_path;
  BenchSnapshot bench;
  OpenAlerts open_alerts;
  storage::QueueStats queue;
  storage::StoreHealth store;
};

[[nodiscard]] v1::Status live_status(const LiveParts& parts);

}  // namespace leakhunt::daemon
