// One function per question of api.proto: what the engine hands each of them to. All throw
// storage::ReadFailed where the store cannot be read in time.
#pragma once

#include "answer/asked.h"
#include "answer/engine.h"
#include "base/result.h"

namespace leakhunt::answer {

// Of one device, or with an empty name of all.
[[nodiscard]] Result<v1::Status> answer_status(storage::Reader& reader, const EngineSettings& settings,
                                               const AnswerContext& context, const std::string& device);
[[nodiscard]] Result<v1::Report> answer_report(const Asked& asked, const v1::ReportQuestion& question);
[[nodiscard]] Result<v1::Timeline> answer_timeline(const Asked& asked, const v1::TimelineQuestion& question);
[[nodiscard]] Result<v1::Logs> answer_logs(const Asked& asked, const v1::LogsQuestion& question);
[[nodiscard]] Result<v1::Events> answer_events(const Asked& asked, const v1::EventsQuestion& question);
[[nodiscard]] Result<v1::Packets> answer_packets(const Asked& asked, const v1::PacketsQuestion& question);
[[nodiscard]] Result<v1::Verdicts> answer_verdicts(const Asked& asked, const v1::VerdictsQuestion& question);

// The event, and the rows that make it true: the event itself and its line in the log.
[[nodiscard]] Result<Reply> answer_mark(const Asked& asked, const v1::MarkRequest& request);

// Of one device, or with an empty name of all.
[[nodiscard]] Result<v1::Alerts> answer_alerts(storage::Reader& reader, const AnswerContext& context,
                                               const std::string& device, const v1::AlertsQuestion& question);
// The alerts acknowledged, and their rows.
[[nodiscard]] Result<Reply> answer_ack(storage::Reader& reader, const AnswerContext& context,
                                       const std::string& device, const v1::AckRequest& request);

// The configured devices as status tells them, and the names of those the store knows besides; offline all of
// the store. Ports are the running recorder's to add.
[[nodiscard]] Result<v1::Devices> answer_devices(storage::Reader& reader, const EngineSettings& settings,
                                                 const AnswerContext& context, const std::string& device);
// What becomes of the device, and the row that makes it so. Merging or forgetting one that is configured is
// refused.
[[nodiscard]] Result<Reply> answer_change_device(storage::Reader& reader, const AnswerContext& context,
                                                 const std::string& device, const v1::DeviceRequest& request);

// A row as its message.
void fill(v1::Event& out, const recorder::EventRow& event, const std::string& device);
void fill(v1::LineOut& out, const storage::LogLine& line);

}  // namespace leakhunt::answer
