// A value or an error with its context, for callers that decide what a failure means.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace leakhunt {

// What kind of failure it is; the number is the exit code of a command that ends with it.
enum class ErrorCode {
  failed = 1,       // it was tried and did not work
  usage = 2,        // the question, argument or configuration is wrong
  unreachable = 3,  // daemon or store not there, or refused
  no_data = 4,      // answered, but the device is silent or there is nothing to judge
  partial = 5,      // something was skipped
};

// What went wrong, where, and what to do about it. `where` and `hint` may be empty.
struct Error {
  ErrorCode code = ErrorCode::failed;
  std::string what;
  std::string where;
  std::string hint;

  // One line: "what: where (hint)", leaving out what is empty.
  [[nodiscard]] std::string line() const;
};

// Either a T or an Error. Check with `if (result)` before `*result`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  [[nodiscard]] explicit operator bool() const { return state_.index() == 0; }
  [[nodiscard]] T& operator*() & { return std::get<0>(state_); }
  [[nodiscard]] const T& operator*() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& operator*() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] T* operator->() { return &std::get<0>(state_); }
  [[nodiscard]] const T* operator->() const { return &std::get<0>(state_); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The result of something done for its effect.
struct Done {};
using Outcome = Result<Done>;

}  // namespace leakhunt
