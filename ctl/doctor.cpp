// The socket as this user meets it, and whom to ask about the rest.
#include "ctl/doctor.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "answer/json_read.h"
#include "ctl/child.h"
#include "ctl/conversation.h"

namespace leakhunt::ctl {
namespace {

// What the unit gives to its leakhuntd (systemd/leakhuntd.service).
constexpr const char* kServiceConfig = "/etc/leakhunt/leakhuntd.toml";

v1::Check failed_check(const char* name, const Error& error) {
  v1::Check out;
  out.set_name(name);
  out.set_state("failed");
  out.set_what((error.where.empty() ? "" : error.where + ": ") + error.what);
  out.set_remedy(error.hint);
  return out;
}

v1::Check check(const char* state, std::string what, std::string remedy) {
  v1::Check out;
  out.set_name("control socket");
  out.set_state(state);
  out.set_what(std::move(what));
  out.set_remedy(std::move(remedy));
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// The group that may connect, or empty where there is none to join.
std::string group_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IWGRP) == 0) return "";
  const group* named = ::getgrgid(status.st_gid);
  return named == nullptr ? "" : named->gr_name;
}

v1::Check refused_check(const std::string& path) {
  const std::string group = group_of(path);
  return check(
      "failed", path + " is there, but this user may not connect to it",
      group.empty() || group == "root"
          ? "run leakhuntctl as the user that runs leakhuntd, or with sudo"
          : "sudo usermod -aG " + group + " \"$USER\", then log in again; for now: sudo leakhuntctl ...");
}

// Beside this program, else whatever PATH leads to.
std::string daemon_program() {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto beside = self.parent_path() / "leakhuntd";
  return !failed && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : "leakhuntd";
}

Result<v1::Doctor> ask_program() {
  const std::string program = daemon_program();
  std::vector<std::string> command{program, "--doctor"};
  if (::access(kServiceConfig, R_OK) == 0) command.insert(command.end(), {"--config", kServiceConfig});
  const auto out = output_of(command);
  if (!out)
    return Error{ErrorCode::failed, out.error().what, program,
                 "install leakhuntd beside leakhuntctl or in PATH"};
  v1::Doctor doctor;
  if (!answer::read_json(*out, doctor))
    return Error{ErrorCode::failed, "it does not tell what it finds", program + " --doctor",
                 "are leakhuntd and leakhuntctl of the same version?"};
  return doctor;
}

}  // namespace

v1::Check socket_check(const std::vector<std::string>& candidates) {
  for (const std::string& path : candidates) {
    struct stat status {};
    // A folder that may not be searched hides what is in it.
    if (::stat(path.c_str(), &status) != 0 && errno != EACCES) continue;
    switch (const int error = connect_error(path)) {
      case 0:
        return check("ok", path + " answers", "");
      case EACCES:
        return refused_check(path);
      case ECONNREFUSED:
        return check("failed", path + " is there, but nobody listens: its daemon has ended",
                     "start leakhuntd: sudo systemctl start leakhuntd");
      default:
        return check("failed", path + " cannot be used: " + std::strerror(error),
                     "is that a socket of leakhuntd? else name it with --socket");
    }
  }
  return check("failed", "no daemon found; looked for " + joined(candidates),
               "start leakhuntd: sudo systemctl start leakhuntd, or name its socket with --socket");
}

v1::Doctor examine(const std::vector<std::string>& candidates, const v1::Question& question) {
  v1::Doctor doctor;
  *doctor.add_checks() = socket_check(candidates);
  if (doctor.checks(0).state() == "ok") {
    const auto asked = ask_daemon(candidates, question);
    if (asked) {
      doctor.MergeFrom(asked->doctor());
      return doctor;
    }
    *doctor.add_checks() = failed_check("daemon", asked.error());
  }
  const auto found = ask_program();
  if (found) {
    for (const v1::Check& each : found->checks()) {
      // It knows of one socket, ours is about all of them.
      if (each.name() != "socket") *doctor.add_checks() = each;
    }
  } else {
    *doctor.add_checks() = failed_check("leakhuntd", found.error());
  }
  return doctor;
}

}  // namespace leakhunt::ctl
