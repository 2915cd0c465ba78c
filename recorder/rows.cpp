// Sizes and classes of rows. Knows nothing of where they go.
#include "recorder/rows.h"

#include <type_traits>

namespace leakhunt::recorder {
namespace {

template <class... T>
struct Overload : T... {
  using T::operator()...;
};
template <class... T>
Overload(T...) -> Overload<T...>;

std::size_t text_bytes(const Row& row) {
  return std::visit(Overload{[](const LogRow& r) { return r.text.size() + r.thread.size(); },
                             [](const TelemetryRow& r) { return r.values.size() * sizeof(r.values[0]); },
                             [](const HeapEventRow& r) { return r.thread.size(); },
                             [](const CallSiteRow& r) { return r.context.size(); },
                             [](const MemAuditRow& r) { return r.tag_bytes.size() * sizeof(r.tag_bytes[0]); },
                             [](const EventRow& r) { return r.note.size() + r.data.size() + r.label.size(); },
                             [](const VerdictRow& r) { return r.json.size(); },
                             [](const AlertRow& r) { return r.text.size() + r.note.size(); },
                             [](const PortRow& r) { return r.path.size() + r.by_id.size(); },
                             [](const auto&) { return std::size_t{0}; }},
                    row);
}

}  // namespace

std::size_t queued_bytes(const Row& row) {
  return sizeof(Row) + text_bytes(row);
}

bool may_be_dropped(const Row& row) {
  const auto* line = std::get_if<LogRow>(&row);
  return line != nullptr && !line->evidence && line->level != "MARK";
}

bool must_be_durable(const Row& row) {
  return std::visit(Overload{[](const EventRow& r) {
                               return r.kind == "mark" || r.kind == "released" ||
                                      r.kind.starts_with("recorder_");
                             },
                             [](const VerdictRow&) { return true; }, [](const AlertRow&) { return true; },
                             [](const BootRow&) { return true; }, [](const IdentityRow&) { return true; },
                             [](const DeviceRow&) { return true; }, [](const AnchorRow&) { return true; },
                             [](const MoveRows&) { return true; }, [](const RenameDevice&) { return true; },
                             [](const MergeDevices&) { return true; },
                             [](const ForgetDevice&) { return true; }, [](const auto&) { return false; }},
                    row);
}

}  // namespace leakhunt::recorder
