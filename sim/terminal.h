// A pseudo-terminal seen from its master: who reads, what lies unread. Knows nothing of devices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/descriptor.h"

namespace leakhunt::sim {

class Terminal {
 public:
  // One that echoes nothing and changes no byte.
  [[nodiscard]] static Result<Terminal> make();

  // What others have done with it since the last call.
  struct Changes {
    unsigned opens = 0;
    bool closed = false;
  };
  [[nodiscard]] Changes changes();
  // Somebody has it open.
  [[nodiscard]] bool has_reader() const;
  // Bytes that lie unread in the kernel, as far as it tells: at most 4 095. Unset where the reader shuts us
  // out.
  [[nodiscard]] std::optional<std::size_t> unread_bytes();
  // Throws away what lies unread, as the last close of a real port does.
  void forget_unread();
  // Never block; 0 is none.
  [[nodiscard]] std::size_t write(std::string_view bytes);
  [[nodiscard]] std::string read();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int master() const { return master_.get(); }
  // Becomes readable when somebody opens or closes it.
  [[nodiscard]] int watch() const { return watch_.get(); }

 private:
  Terminal(Descriptor master, Descriptor watch, std::string path)
      : master_(std::move(master)), watch_(std::move(watch)), path_(std::move(path)) {}
  [[nodiscard]] Descriptor open_other_side();
  void read_events();

  Descriptor master_;
  Descriptor watch_;
  std::string path_;
  unsigned own_opens_ = 0;  // of ours whose event has not been read
  unsigned own_closes_ = 0;
  Changes changes_;
};

}  // namespace leakhunt::sim
