// The report page: labels, order and spelling as INTERFACES has them.
#include "ctl/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace leakhunt::ctl {
namespace {

v1::Suspect suspect(const char* thread, std::int64_t net, std::int64_t events, double share, bool few,
                    bool primary) {
  v1::Suspect s;
  s.set_thread(thread);
  s.set_net_bytes(net);
  s.set_events(events);
  s.set_share(share);
  s.set_few_large(few);
  s.set_primary(primary);
  return s;
}

v1::Report sample() {
  v1::Report r;
  r.set_device("bench1");
  r.mutable_window()->set_asked("6h");
  r.mutable_window()->set_field("free_heap");
  r.mutable_window()->set_variant("local");
  r.set_recorder("running, telem last_ts 8s ago");
  r.set_build("DEBUG_HEAP=ON (per-line prefix detected)");
  r.set_samples("14,200 over 6h (cadence ~1.5s, log-line synth)");
  r.set_reboots("none in window");
  r.set_oom_events("none");
  v1::Timeline& t = *r.mutable_timeline();
  t.set_min(92344);
  t.set_max(124008);
  t.set_slope_per_min(-82);
  v1::AlarmLine& line = *r.add_error_lines();
  line.set_text("Alloc an err=ESP_ERR_NO_MEM");
  line.set_count(3);
  for (const double at : {15120.0, 18480.0, 20640.0}) line.add_offsets_s(at);
  v1::Verdict& v = *r.mutable_verdict();
  v.set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  v.set_state(v1::VERDICT_STATE_CONFIRMED);
  v.set_minutes_to_zero(1127);
  *v.add_suspects() = suspect("MeshPacket", -3124, 18, 0.65, false, true);
  *v.add_suspects() = suspect("Router", -1408, 4, 0.30, true, false);
  *v.add_suspects() = suspect("GPS", -240, 2, 0.05, true, false);
  v.set_lost_bytes(29520);
  v.set_unexplained_bytes(24748);
  r.set_excluded("leaks below 6 bytes/min cannot be excluded");
  return r;
}

TEST(ReportPage, ShowsTheSampleOfTheInterfaceToTheLetter) {
  const std::string page = report_page(sample());
  const std::string expected_begin = "/leakhunt window=6h field=free_heap variant=local device=bench1\n";
  EXPECT_EQ(page.substr(0, expected_begin.size()), expected_begin);
  for (const char* line : {"recorder    : running, telem last_ts 8s ago\n",
                           "build       : DEBUG_HEAP=ON (per-line prefix detected)\n",
                           "samples     : 14,200 over 6h (cadence ~1.5s, log-line synth)\n",
                           "free_heap   : min 92,344 / max 124,008 / range 31,664\n",
                           "slope       : -82 bytes/min (negative - heap declining)\n",
                           "reboots     : none in window\n", "OOM events  : none\n",
                           "error lines : 3× \"Alloc an err=ESP_ERR_NO_MEM\" at +4h12m, +5h08m, +5h44m\n",
                           "marks       : none\n",
                           "thread leaks: (DEBUG_HEAP) MeshPacket  -3,124 B over 18 events (many small)\n",
                           "                           Router      -1,408 B over 4 events (few large)\n",
                           "                           others        -240 B\n",
                           "              unexplained: 24,748 of 29,520 B lost (84 %)\n",
                           "verdict     : SLOW LEAK - primary suspect MeshPacket thread (confirmed)\n",
                           "est. time-to-OOM: ~1,127 min (~18.8 h) at current slope\n"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line << "\n" << page;
  }
}

TEST(ReportPage, LabelsStandInTheirOrder) {
  const std::string page = report_page(sample());
  std::size_t at = 0;
  for (const char* label :
       {"recorder ", "build ", "samples ", "free_heap ", "slope ", "reboots ", "OOM events", "error lines",
        "marks ", "thread leaks", "verdict ", "est. time-to-OOM", "excluded", "evidence"}) {
    const std::size_t found = page.find(std::string{"\n"} + label, at);
    ASSERT_NE(found, std::string::npos) << label;
    at = found;
  }
}

TEST(ReportPage, PublishedStandsOnlyWhereItDiffers) {
  v1::Report r = sample();
  r.mutable_verdict()->mutable_published()->set_class_(v1::VERDICT_CLASS_SLOW_LEAK);
  EXPECT_EQ(report_page(r).find("\npublished"), std::string::npos);
  r.mutable_verdict()->mutable_published()->set_class_(v1::VERDICT_CLASS_OOM_IMMINENT);
  r.mutable_verdict()->mutable_published()->set_rule("any \"Alloc an err=\" line");
  EXPECT_NE(report_page(r).find("published   : OOM-IMMINENT - any \"Alloc an err=\" line (why not here: "),
            std::string::npos);
}

TEST(ReportPage, ASilentDeviceGetsNoLeakClass) {
  v1::Report r = sample();
  r.set_check(v1::REPORT_CHECK_SILENT);
  r.set_silent_s(720);
  const std::string page = report_page(r);
  EXPECT_NE(page.find("verdict     : device silent for 12m\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("SLOW LEAK"), std::string::npos);
}

TEST(ReportPage, AnAlarmLineStandsBeforeTheSilence) {
  v1::Report r = sample();
  r.set_check(v1::REPORT_CHECK_SILENT);
  r.set_check_text("device silent for 12m");
  r.set_oom_events("1: out of memory at +4h12m");
  const std::string page = report_page(r);
  EXPECT_LT(page.find("urgent      : 1: out of memory"), page.find("check       : device silent"));
}

TEST(ReportPage, AnExperimentShowsItsFigures) {
  v1::Report r = sample();
  v1::Experiment& e = *r.add_experiments();
  e.set_label("burst");
  e.set_level_before_bytes(120000);
  e.set_noise_bytes(24);
  e.set_lowest_bytes(111808);
  e.set_level_after_bytes(119990);
  e.set_minutes_to_baseline(12);
  e.set_cycles_to_baseline(0.8);
  e.set_sentence("it came back");
  EXPECT_NE(report_page(r).find(
                "experiment burst: before 120,000 B (noise 24 B), lowest 111,808 B, after 119,990 B, "
                "back after 12 min (0.8 LocalStats cycles)\n              it came back\n"),
            std::string::npos);
}

TEST(ReportPage, WithoutTelemetryOnlyTheCheckIsShown) {
  v1::Report r = sample();
  r.set_check(v1::REPORT_CHECK_NO_TELEMETRY);
  r.set_check_text("wait one update interval");
  const std::string page = report_page(r);
  EXPECT_NE(page.find("check       : wait one update interval\n"), std::string::npos);
  EXPECT_EQ(page.find("verdict"), std::string::npos);
}

std::size_t widest(const std::string& text) {
  std::size_t widest = 0;
  std::size_t columns = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++columns;
    if (c == '\n') columns = 0;
    widest = std::max(widest, columns);
  }
  return widest;
}

TEST(ReportPage, FitsATerminalButLeavesWhatIsToBeCopied) {
  v1::Report r = sample();
  r.mutable_verdict()->mutable_suspects(0)->set_thread(std::string(300, 'x'));
  for (int i = 0; i < 20; ++i) {
    r.mutable_verdict()->add_findings()->set_text(std::to_string(i) + " " + std::string(40, 'a') + " " +
                                                  std::string(40, 'b') + " \u00e4\u6f22");
  }
  const std::string command = "leakhuntctl release bench1 -- " + std::string(200, 'e');
  r.add_next(command);
  for (const std::size_t columns : {80U, 100U}) {
    const std::string page = fitted(report_page(r), columns);
    const std::size_t next = page.find("\nnext        : ");
    ASSERT_NE(next, std::string::npos);
    EXPECT_LE(widest(page.substr(0, next)), columns) << page;
    EXPECT_NE(page.find(command), std::string::npos);
  }
}

TEST(ReportPage, TellsEachBootAndAtWhichLevelItDied) {
  v1::Report r = sample();
  r.set_reboots("1 in window: +2h (watchdog)");
  r.mutable_window()->set_start(1000);
  for (int i = 0; i < 2; ++i) {
    v1::BootStretch& boot = *r.mutable_verdict()->add_boots();
    boot.set_id(7 + i);
    boot.set_start(1000 + 7200 * i);
    boot.set_end(8200 + 7200 * i);
    boot.set_verdict(v1::VERDICT_CLASS_SLOW_LEAK);
    boot.set_slope_per_min(-82);
    boot.set_level_bytes(15'596 + i);
  }
  r.mutable_verdict()->mutable_boots(0)->set_died_at_bytes(15'596);
  EXPECT_NE(report_page(r).find(
                "reboots     : 1 in window: +2h (watchdog)\n"
                "              boot 7, +0m00s to +2h00m: SLOW LEAK, -82 bytes/min, died at "
                "15,596 B\n"
                "              boot 8, +2h00m to +4h00m: SLOW LEAK, -82 bytes/min, last 15,597 B\n"),
            std::string::npos)
      << report_page(r);
}

TEST(ReportPage, TellsTheReserveAlsoWhereNothingLeaks) {
  v1::Report r = sample();
  r.mutable_verdict()->set_class_(v1::VERDICT_CLASS_STEADY);
  r.mutable_verdict()->set_reserve_bytes(15'000);
  r.mutable_verdict()->set_reserve_reason("chip esp32s3");
  EXPECT_NE(report_page(r).find("est. time-to-OOM: none (reserve 15,000 B: chip esp32s3)\n"),
            std::string::npos);
}

TEST(ReportPage, TellsAFindingOnceAndAWithdrawnAlarm) {
  v1::Report r = sample();
  r.mutable_verdict()->set_class_(v1::VERDICT_CLASS_STEADY);
  r.mutable_verdict()->set_state(v1::VERDICT_STATE_WITHDRAWN);
  r.mutable_verdict()->clear_suspects();
  for (int i = 0; i < 3; ++i) r.mutable_verdict()->add_findings()->set_text("stopped by a fault");
  const std::string page = report_page(r);
  EXPECT_EQ(page.find("stopped by a fault"), page.rfind("stopped by a fault"));
  EXPECT_NE(page.find("verdict     : STEADY (withdrawn)\n"), std::string::npos);
}

TEST(ReportPage, HostileDeviceTextCannotMoveTheCursor) {
  v1::Report r = sample();
  r.mutable_verdict()->mutable_suspects(0)->set_thread("Mesh\x1b[2JPacket");
  r.set_device("a\nverdict     : STEADY");
  const std::string page = report_page(r);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find("\nverdict     : STEADY"), std::string::npos);
}

}  // namespace
}  // namespace leakhunt::ctl
