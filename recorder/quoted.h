// What a line only quotes: somebody's chat, an address, a shell's command. Knows nothing of figures and
// events.
#pragma once

#include <string>
#include <string_view>

namespace leakhunt::recorder {

// The line with everything it quotes blanked out, as long as before: addresses of requests, file names, the
// text of a message received or sent, words between quotes behind a colon-less phrase, and a shell's whole
// command line. A logger's own message (`msg="..."`, `"message":"..."`) is no quote.
[[nodiscard]] std::string without_quotes(std::string_view line);

// True where nothing in the line can be a quote: without_quotes would change nothing. Cheap.
[[nodiscard]] bool may_quote(std::string_view line);

}  // namespace leakhunt::recorder
