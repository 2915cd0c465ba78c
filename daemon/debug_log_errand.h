// Switches a device's API log: reads the security configuration, gives it back with that one setting changed,
// waits for the restart, reads it again. Knows no link or clock, stores and logs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "daemon/errand.h"
#include "leakhunt/v1/api.pb.h"
#include "proto/admin.h"

namespace leakhunt::daemon {

class DebugLogErrand final : public Errand {
 public:
  struct Means {
    std::function<std::uint32_t()> fresh_id;  // random; 0 is drawn again
    std::function<void()> plan_reboot;        // told when the device took the change, or is gone after it
    std::function<void(Result<v1::DebugLog>)> done;  // once, last in the call that ends the errand
  };

  static constexpr Duration kConnects{20'000'000};  // until the device is there and has told its setting
  static constexpr Duration kAnswers{15'000'000};   // for each question, which is asked twice
  static constexpr Duration kSettles{12'000'000};   // from the change to reading back: it restarts after 7 s
  static constexpr Duration kRestarts{60'000'000};  // from the change to the restart
  static constexpr Duration kReturns{90'000'000};   // from the change to being live again

  // `device` is the name the person gave, for the answer and its errors.
  DebugLogErrand(std::string device, bool on, Means means);

  void live(std::uint32_t own_node, Mono now) override;
  void lost(Mono now) override;
  void heard(std::span<const std::uint8_t> from_radio, Mono now) override;
  [[nodiscard]] std::vector<proto::SecretBytes> due(Mono now) override;
  [[nodiscard]] std::optional<Mono> next() const override;
  [[nodiscard]] bool ended() const override { return step_ == Step::ended; }

 private:
  enum class Step : std::uint8_t {
    connecting,  // nothing sent; the device is not live
    reading,     // asked for its configuration
    restarting,  // the change is sent
    confirming,  // asked again
    ended,
  };
  // A question or change under way. Either of its two ids may be answered.
  struct Asked {
    std::vector<std::uint32_t> ids = {};
    Mono at = {};
    [[nodiscard]] bool again() const { return ids.size() > 1; }
  };

  void ask(Step step, Mono now);
  void ask_again(Mono now);
  void read(proto::SecurityAnswer answer, Mono now);
  void change(proto::SecurityAnswer answer, Mono now);
  void send_change(Mono now);
  void confirm(const proto::SecurityAnswer& answer);
  void hear_answer(std::span<const std::uint8_t> from_radio, Mono now);
  void hear_routing(std::span<const std::uint8_t> from_radio, std::uint32_t id);
  void wait_for_return(Mono now);
  void out_of_patience();
  [[nodiscard]] std::optional<Error> objection(const proto::SecurityFlags& flags) const;
  [[nodiscard]] Error unconfirmed(std::string why) const;
  [[nodiscard]] Error unchanged(std::string what, std::string hint) const;
  [[nodiscard]] std::uint32_t new_id();
  void succeed(bool was, bool rebooted);
  void end(Result<v1::DebugLog> result);

  std::string device_;
  bool on_;
  Means means_;
  Step step_ = Step::connecting;
  std::optional<Mono> started_;
  std::uint32_t own_node_ = 0;
  bool live_ = false;
  bool restarted_ = false;     // the link was lost or greeted again since the change
  bool acknowledged_ = false;  // the device said that it took the change
  Asked asked_;
  Mono changed_at_;
  proto::SecretBytes wanted_;  // the configuration as it was sent
  proto::SecretBytes session_passkey_;
  std::vector<proto::SecretBytes> outbox_;
};

}  // namespace leakhunt::daemon
