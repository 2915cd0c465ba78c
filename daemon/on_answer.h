// How an answer goes back to whoever asked.
#pragma once

#include <functional>

#include "base/result.h"
#include "leakhunt/v1/api.pb.h"

namespace leakhunt::daemon {

// Called once per question, from any thread.
using OnAnswer = std::function<void(Result<v1::Answer>)>;

}  // namespace leakhunt::daemon
