// The command line: each way to write a question gives the same question, and wrong words are refused.
#include "ctl/arguments.h"

#include <gtest/gtest.h>

namespace leakhunt::ctl {
namespace {

Result<Invocation> parse(std::vector<std::string> words) {
  return parse_arguments(words);
}

v1::Question question(std::vector<std::string> words) {
  auto call = parse(std::move(words));
  EXPECT_TRUE(call) << (call ? "" : call.error().line());
  if (!call) return {};
  return std::get<v1::Question>(call->what);
}

TEST(Arguments, AWindowMayBeWrittenInEveryForm) {
  const std::vector<std::vector<std::string>> forms = {{"report", "--window", "-3d"},
                                                       {"report", "--window=-3d"},
                                                       {"report", "window=-3d"},
                                                       {"--window", "-3d", "report"},
                                                       {"leakhunt", "window=-3d"}};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (i == 3) continue;
    EXPECT_EQ(question(forms[i]).report().window().window(), "-3d") << i;
  }
  EXPECT_EQ(question({"logs", "--start", "-15m", "--end", "now"}).logs().window().start(), "-15m");
}

TEST(Arguments, AMarkNeedsALabelOfValidText) {
  for (const char* label : {"", " \t", "caf\xe9"}) {
    const auto call = parse({"mark", label});
    ASSERT_FALSE(call) << label;
    EXPECT_EQ(call.error().code, ErrorCode::usage);
  }
  EXPECT_EQ(question({"mark", "caf\xc3\xa9"}).mark().label(), "caf\xc3\xa9");
}

TEST(Arguments, KeysComeInAnyOrderAndMayUseUnderscores) {
  const v1::Question q =
      question({"timeline", "max_points=40", "field=battery_level", "device=bench1", "variant=device"});
  EXPECT_EQ(q.timeline().max_points(), 40);
  EXPECT_EQ(q.timeline().field(), "battery_level");
  EXPECT_EQ(q.timeline().variant(), "device");
  EXPECT_EQ(q.device(), "bench1");
}

TEST(Arguments, GlobalOptionsStandBeforeOrAfterTheCommand) {
  EXPECT_EQ(question({"--device", "b", "status"}).device(), "b");
  EXPECT_EQ(question({"status", "--device", "b"}).device(), "b");
  EXPECT_EQ(parse({"status", "--json"})->format, Format::json);
  EXPECT_EQ(parse({"--format", "csv", "status"})->format, Format::csv);
  EXPECT_EQ(question({"report", "rules=published"}).rules(), v1::RULES_PUBLISHED);
}

TEST(Arguments, ListsAreRepeatableCommaSeparatedAndTakeBars) {
  const v1::Question q =
      question({"logs", "--level", "WARN|ERROR,CRIT", "--level", "HEAP", "--thread", "User Button"});
  ASSERT_EQ(q.logs().levels_size(), 4);
  EXPECT_EQ(q.logs().levels(0), "WARN");
  EXPECT_EQ(q.logs().levels(3), "HEAP");
  ASSERT_EQ(q.logs().threads_size(), 1);
  EXPECT_EQ(q.logs().threads(0), "User Button");
}

TEST(Arguments, APatternKeepsItsCommasAndBars) {
  EXPECT_EQ(question({"logs", "--grep", R"(\[heap \d+\]|a,b)"}).logs().grep(), R"(\[heap \d+\]|a,b)");
}

TEST(Arguments, AListOptionDoesNotEatThePositional) {
  const v1::Question q = question({"classify", "--fail-on", "slow_leak", "a.log"});
  ASSERT_EQ(q.classify().files_size(), 1);
  EXPECT_EQ(q.classify().files(0), "a.log");
}

TEST(Arguments, FailOnNamesClasses) {
  const auto call = parse({"report", "--fail-on", "slow_leak,oom_imminent|reboot_mid_window"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->fail_on,
            (std::vector<v1::VerdictClass>{v1::VERDICT_CLASS_SLOW_LEAK, v1::VERDICT_CLASS_OOM_IMMINENT,
                                           v1::VERDICT_CLASS_REBOOT_MID_WINDOW}));
  EXPECT_EQ(parse({"report", "--fail-on", "leaky"}).error().code, ErrorCode::usage);
}

TEST(Arguments, AMarkTakesItsLabelAsAWord) {
  const v1::Question q = question({"mark", "burst-start", "--note", "8 clients", "--at", "-5m"});
  EXPECT_EQ(q.mark().label(), "burst-start");
  EXPECT_EQ(q.mark().note(), "8 clients");
  EXPECT_EQ(q.mark().at(), "-5m");
}

TEST(Arguments, AlertsAreAcknowledgedByIdOrAll) {
  EXPECT_TRUE(question({"alerts", "--open"}).alerts().open_only());
  EXPECT_EQ(question({"alerts", "ack", "7"}).ack().ids(0), 7);
  EXPECT_EQ(question({"alerts", "ack", "all"}).ack().ids_size(), 0);
  EXPECT_EQ(parse({"alerts", "ack"}).error().code, ErrorCode::usage);
  EXPECT_EQ(parse({"alerts", "ack", "7x"}).error().code, ErrorCode::usage);
  EXPECT_EQ(parse({"alerts", "open"}).error().code, ErrorCode::usage);
}

TEST(Arguments, WrongWordsAreUsageErrorsThatSayWhat) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"reprot"},
                                             {"report", "6h"},
                                             {"report", "--windw", "6h"},
                                             {"report", "colour=red"},
                                             {"mark"},
                                             {"--format", "xml", "status"},
                                             {"report", "--rules", "mine"},
                                             {"timeline", "--max-points", "1"},
                                             {"--socket", "a", "--db", "b", "status"}}) {
    const auto call = parse(words);
    ASSERT_FALSE(call) << (words.empty() ? "" : words[0]);
    EXPECT_EQ(call.error().code, ErrorCode::usage);
    EXPECT_FALSE(call.error().what.empty());
  }
}

TEST(Arguments, AnUnknownCommandIsNamed) {
  EXPECT_EQ(parse({"reprot", "window=6h"}).error().what, "unknown command 'reprot'");
  EXPECT_EQ(parse({"--device", "b", "reprot"}).error().what, "unknown command 'reprot'");
}

TEST(Arguments, AReserveIsANumberOfBytes) {
  for (const char* wrong : {"nan", "inf", "1e400", "-5", "12.5", ""}) {
    EXPECT_FALSE(parse({"report", std::string{"--reserve="} + wrong})) << wrong;
  }
  EXPECT_EQ(question({"report", "--reserve", "15000"}).report().reserve_bytes(), 15000);
  for (const char* wrong : {"0", "000", "-1", "x", ""}) {
    const auto call = parse({"classify", "a.csv", std::string{"--limit="} + wrong});
    ASSERT_FALSE(call) << wrong;
    EXPECT_EQ(call.error().code, ErrorCode::usage);
  }
  EXPECT_EQ(question({"classify", "a.csv", "--reserve", "0"}).classify().reserve_bytes(), 0);
}

TEST(Arguments, FailOnIsRefusedWhereThereIsNoVerdict) {
  EXPECT_EQ(parse({"status", "--fail-on", "slow_leak"}).error().code, ErrorCode::usage);
  EXPECT_TRUE(parse({"classify", "--fail-on", "slow_leak", "a.log"}));
}

TEST(Arguments, HelpIsNoError) {
  const auto help = parse({"report", "--help"});
  ASSERT_TRUE(help);
  EXPECT_NE(std::get<Notice>(help->what).text.find("--window"), std::string::npos);
  ASSERT_TRUE(parse({"--version"}));
}

TEST(Arguments, HelpSaysHowACommandIsWritten) {
  const auto help = [](std::vector<std::string> words) {
    words.emplace_back("--help");
    return std::get<Notice>(parse(words)->what).text;
  };
  EXPECT_NE(help({"status"}).find("Usage: leakhuntctl status [OPTIONS]\n"), std::string::npos);
  EXPECT_NE(help({"release"}).find("Usage: leakhuntctl release [OPTIONS] [NAME] [-- COMMAND…]\n"),
            std::string::npos);
  EXPECT_NE(help({"release"}).find("while COMMAND still runs"), std::string::npos);
  EXPECT_NE(help({"debug-log"}).find("Usage: leakhuntctl debug-log [OPTIONS] on|off [NAME]\n"),
            std::string::npos);
}

TEST(Arguments, WhatFollowsTheDashesOfAReleaseBelongsToTheCommand) {
  const auto call =
      parse({"--device=b", "release", "for=15m", "--", "env", "window=3", "--for", "-1", "--", "x"});
  ASSERT_TRUE(call) << call.error().line();
  const auto& release = std::get<ReleaseCommand>(call->what);
  EXPECT_EQ(release.command, (std::vector<std::string>{"env", "window=3", "--for", "-1", "--", "x"}));
  EXPECT_EQ(release.question.device(), "b");
  EXPECT_EQ(release.question.release().for_s(), 900);
}

TEST(Arguments, AReleaseWithoutACommandOrATimeLeavesBothToTheRecorder) {
  const v1::Question q = question({"release", "bench1"});
  EXPECT_EQ(q.device(), "bench1");
  ASSERT_TRUE(q.has_release());
  EXPECT_FALSE(q.release().has_for_s());
  EXPECT_FALSE(q.release().has_holder_pid());
  EXPECT_EQ(parse({"release", "bench1", "--"}).error().code, ErrorCode::usage);
  EXPECT_EQ(parse({"release", "bench1", "--for", "soon"}).error().where, "--for");
  EXPECT_EQ(parse({"release", "bench1", "--device", "bench2"}).error().code, ErrorCode::usage);
  EXPECT_EQ(parse({"release", "bench1", "pio", "run"}).error().code, ErrorCode::usage);
}

TEST(Arguments, ResumeAndPause) {
  EXPECT_EQ(question({"resume", "bench1"}).device(), "bench1");
  EXPECT_TRUE(question({"resume"}).has_resume());
  EXPECT_FALSE(question({"pause"}).pause().has_for_s());
  EXPECT_EQ(question({"pause", "--for", "1.5h"}).pause().for_s(), 5400);
  EXPECT_EQ(parse({"pause", "--device", "bench1"}).error().code, ErrorCode::usage);
}

TEST(Arguments, ALengthOfWhatIsToComeHasNoSign) {
  for (const char* length : {"-5", "-1h", "+5", "-15m"}) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"release", "bench1", "--for", length},
                                               {"release", "bench1", "--for", length, "--", "true"},
                                               {"pause", "--for", length}}) {
      const auto call = parse(words);
      ASSERT_FALSE(call) << words[0] << length;
      EXPECT_EQ(call.error().code, ErrorCode::usage);
      EXPECT_NE(call.error().hint.find("15m"), std::string::npos);
    }
  }
}

TEST(Arguments, DebugLogIsOnOrOff) {
  const auto call = parse({"debug-log", "on", "--device", "bench1", "--yes"});
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->yes);
  EXPECT_TRUE(std::get<v1::Question>(call->what).debug_log().on());
  EXPECT_FALSE(question({"debug-log", "off", "device=bench1"}).debug_log().on());
  EXPECT_EQ(question({"debug-log", "on", "bench1"}).device(), "bench1");
  EXPECT_EQ(parse({"debug-log", "on", "bench1", "--device", "bench2"}).error().code, ErrorCode::usage);
  EXPECT_EQ(parse({"debug-log", "maybe"}).error().code, ErrorCode::usage);
  EXPECT_EQ(parse({"debug-log"}).error().code, ErrorCode::usage);
}

TEST(Arguments, ADeviceIsRenamedMergedOrForgotten) {
  const v1::Question renamed = question({"device", "rename", "bench1", "bench2"});
  EXPECT_EQ(renamed.device(), "bench1");
  EXPECT_EQ(renamed.change_device().rename_to(), "bench2");
  EXPECT_EQ(question({"device", "merge", "old", "new"}).change_device().merge_into(), "new");
  EXPECT_TRUE(question({"device", "forget", "old"}).change_device().forget());
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"device"},
                                             {"device", "rename", "bench1"},
                                             {"device", "merge", "a", "b", "c"},
                                             {"device", "forget"},
                                             {"device", "paint", "a"}}) {
    EXPECT_EQ(parse(words).error().code, ErrorCode::usage) << words.back();
  }
}

TEST(TieValues, WhatFollowsTheDashesStaysAsItIs) {
  const std::vector<std::string> words = {"mark", "--", "window=3"};
  EXPECT_EQ(tie_values(words), words);
}

TEST(Arguments, SqlIsAStatementOrTheLinesOfStdin) {
  EXPECT_EQ(question({"sql", "SELECT max(value) FROM sample"}).sql().statement(),
            "SELECT max(value) FROM sample");
  EXPECT_EQ(question({"sql", "SELECT 1", "--max", "7"}).sql().max_rows(), 7);
  const auto lines = parse({"sql"});
  ASSERT_TRUE(lines);
  EXPECT_TRUE(std::holds_alternative<SqlLines>(lines->what));
}

TEST(Arguments, ABackupIsWrittenWhereThePersonStands) {
  const std::string file = question({"db", "backup", "copy.db"}).database().backup_to();
  EXPECT_TRUE(file.starts_with("/") && file.ends_with("/copy.db")) << file;
  EXPECT_EQ(question({"db", "backup", "/a/b.db"}).database().backup_to(), "/a/b.db");
  EXPECT_TRUE(question({"db", "check"}).database().check());
  EXPECT_TRUE(question({"db", "vacuum"}).database().vacuum());
  EXPECT_TRUE(question({"db", "info"}).database().info());
}

TEST(Arguments, WhatIsDoneWithTheFileIsNamed) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"db"}, {"db", "eat"}, {"db", "backup"}, {"db", "check", "x"}}) {
    const auto call = parse(words);
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().code, ErrorCode::usage);
  }
}

}  // namespace
}  // namespace leakhunt::ctl
