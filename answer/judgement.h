// From a record to the verdict message: which rules, which state, in the words of the schema.
#pragma once

#include <optional>

#include "analysis/verdict.h"
#include "answer/asked.h"
#include "answer/fields.h"
#include "answer/record.h"

namespace leakhunt::answer {

// `boots` fills what the analysis does not know of them (signs, firmware).
[[nodiscard]] v1::Verdict to_message(const analysis::Verdict& verdict,
                                     const std::vector<storage::BootSpan>& boots);
// The same of a record, with the reason of its reserve.
[[nodiscard]] v1::Verdict to_message(const analysis::Verdict& verdict, const Record& record);

// Why it is provisional, confirmed or withdrawn, as its last finding; an empty reason adds none.
void set_reason(v1::Verdict& verdict, const std::string& reason);

// The verdict of a question over `window`. One over a scheduled window, asked of a daemon, has the state the
// schedule stored; any other replays the looks before. A field that is no free memory gets `word`; its class
// then is insufficient_data, reboot_mid_window, recovery_curve or steady: none that accuses.
[[nodiscard]] v1::Verdict judge_record(const Asked& asked, const FieldChoice& field, const Record& record,
                                       const AskedWindow& window);

// The same by the default rules and without a state: for those who need the trend alone.
[[nodiscard]] v1::Verdict judge_trend(const FieldChoice& field, const Record& record);

// What the schedule stored last for this device and window, if it did.
[[nodiscard]] std::optional<v1::Verdict> stored_verdict(storage::Reader& reader, recorder::DeviceId device,
                                                        Duration window);

}  // namespace leakhunt::answer
