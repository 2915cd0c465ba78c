// Figures of a window. See figures.h.
#include "answer/figures.h"

#include <algorithm>
#include <array>

#include "analysis/slope.h"
#include "answer/times.h"
#include "answer/words.h"

namespace leakhunt::answer {
namespace {

constexpr std::array<Duration, 4> kDefaultWindows{std::chrono::hours{1}, std::chrono::hours{6},
                                                  std::chrono::hours{24}, std::chrono::hours{168}};
constexpr std::int64_t kEnoughSamples = 24;

void fill(v1::BootStretch& out, const storage::BootSpan& span, const WindowFigures& figures) {
  out.set_id(static_cast<std::int64_t>(span.boot.id));
  out.set_start(epoch(span.began));
  out.set_end(epoch(span.ended));
  out.set_cause(std::string{cause_word(span.boot.cause)});
  out.set_signs(span.boot.signs);
  out.set_firmware_version(span.boot.firmware_version);
  out.set_samples(figures.samples_of(out.id()));
  const SourceFigures* fullest = figures.fullest(out.id());
  if (fullest != nullptr && fullest->n > 1) {
    out.set_slope_per_min(fullest->within.slope() * 60);
  }
}

// The last boot's readings in the window.
std::int64_t samples_since_boot(const Asked& asked, const FieldChoice& field, const storage::Window& window) {
  const auto boots = asked.reader.boots(asked.device.id, window);
  std::vector<recorder::Source> sources;
  const WindowFigures figures = field.heap ? heap_figures(asked, *field.heap, window, sources)
                                           : figures_of(load_series(asked, field, window, {}).series);
  return boots.empty() ? 0 : figures.samples_of(static_cast<std::int64_t>(boots.back().boot.id));
}

}  // namespace

void fill_figures(v1::Timeline& out, const Asked& asked, const FieldChoice& field, const AskedWindow& window,
                  const WindowFigures& figures, const std::vector<storage::BootSpan>& boots) {
  const analysis::SlopeSummary slope = figures.slopes();
  out.set_device(asked.device.name);
  out.set_samples(static_cast<std::int64_t>(slope.samples));
  if (slope.samples > 0) {
    out.set_min(slope.min);
    out.set_max(slope.max);
    out.set_mean(figures.mean());
    out.set_first(figures.first()->first);
    out.set_last(figures.last()->last);
    out.set_read_from(read_from_words(figures.read_from));
  }
  if (slope.samples > 1) {
    out.set_slope_per_min(slope.slope_per_min);
    out.set_slope_per_min_raw(slope.slope_per_min_raw);
  }
  for (const SourceFigures& part : figures.parts) {
    (*out.mutable_sources())[part.source] += part.n;
  }
  for (const storage::BootSpan& span : boots) {
    fill(*out.add_boots(), span, figures);
  }
  if (figures.cadence_s) {
    out.set_cadence_s(*figures.cadence_s);
  }
  fill(*out.mutable_window(), window);
  out.mutable_window()->set_variant(field.variant_name);
  out.mutable_window()->set_field(field.field);
  out.set_offline(asked.offline);
}

AskedWindow default_window(const Asked& asked, const FieldChoice& field) {
  AskedWindow window;
  window.ends_now = true;
  window.is_default = true;
  for (const Duration length : kDefaultWindows) {
    window.span = {asked.now - length, asked.now};
    window.asked = length_words(length) + " (default)";
    if (samples_since_boot(asked, field, window.span) >= kEnoughSamples) {
      break;
    }
  }
  return window;
}

Result<AskedWindow> field_window(const Asked& asked, const v1::WindowSpec& spec, const FieldChoice& field) {
  const auto window = window_of(asked, spec, kDefaultWindows.front());
  return window && window->is_default ? Result<AskedWindow>{default_window(asked, field)} : window;
}

}  // namespace leakhunt::answer
