// Errors that end the program. Each message says what to do next.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace rtbwire::tool {

/// Exit statuses are part of the interface.
enum exit_status { exit_accepted = 0, exit_refused = 1, exit_usage = 2, exit_system = 3 };

/// The command line is wrong: exit status 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Input or system: exit status 3.
struct input_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline input_error system_failure(const std::string& what, const std::string& next) {
  const std::string reason = std::strerror(errno);
  return input_error{what + ": " + reason + "; " + next};
}

}  // namespace rtbwire::tool
