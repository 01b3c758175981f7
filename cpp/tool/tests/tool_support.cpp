#include "tool_support.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace rtbwire::tool::test {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

std::vector<std::string> collector::texts() const {
  std::vector<std::string> all;
  for (const item& i : items) all.push_back(i.text);
  return all;
}

bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::uint64_t count(const counters& c, counter which) {
  return c.get(static_cast<std::size_t>(which));
}

temporary_file::temporary_file(std::string_view content) {
  const char* const folder = std::getenv("TMPDIR");
  path_ = std::string{folder != nullptr ? folder : "/tmp"} + "/rtbwire-tool-XXXXXX";
  const int fd = mkstemp(path_.data());
  if (fd < 0) throw std::runtime_error("mkstemp");
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), content.size());
    if (n <= 0) throw std::runtime_error("write");
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  close(fd);
}

temporary_file::~temporary_file() { unlink(path_.c_str()); }

process::process(std::vector<std::string> command, std::string_view input,
                 std::vector<std::string> environment)
    : input_{input} {
  std::vector<char*> arguments;
  for (std::string& one : command) arguments.push_back(one.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ != 0) return;
  for (std::string& one : environment) putenv(one.data());
  dup2(open(input_.path().c_str(), O_RDONLY), STDIN_FILENO);
  dup2(open(output_.path().c_str(), O_WRONLY | O_TRUNC), STDOUT_FILENO);
  dup2(open(errors_.path().c_str(), O_WRONLY | O_TRUNC), STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

process::~process() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  wait();
}

void process::signal(int number) const { kill(pid_, number); }

int process::wait() {
  if (pid_ <= 0) return status_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return status_;
}

std::string process::output() const { return read_all(output_.path()); }
std::string process::errors() const { return read_all(errors_.path()); }

bool process::says(std::string_view text) const {
  for (int i = 0; i < 1000; ++i) {
    if (errors().find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return false;
}

result run(std::vector<std::string> command, std::string_view input) {
  process p{std::move(command), input};
  const int status = p.wait();
  return {status, p.output(), p.errors()};
}

std::vector<std::string> scan_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RTBWIRE_SCAN_PROGRAM);
  return arguments;
}

long long number(std::string_view line, std::string_view name) {
  const std::string wanted = "\"" + std::string{name} + "\":";
  const std::size_t at = line.find(wanted);
  return at == line.npos ? -1 : std::atoll(line.data() + at + wanted.size());
}

std::string field(std::string_view line, std::string_view name) {
  const std::string wanted = "\"" + std::string{name} + "\":\"";
  const std::size_t at = line.find(wanted);
  if (at == line.npos) return {};
  std::size_t end = at + wanted.size();
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return std::string{line.substr(at + wanted.size(), end - at - wanted.size())};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

bool is_json(std::string_view text) {
  struct checker {
    const shared_engine engine{{}};
    const rtbwire_scanner_options options{RTBWIRE_STRICT, 1 << 20, 0};
    std::vector<std::byte> memory = std::vector<std::byte>(scanner::memory(options));
    scanner one{memory, engine.get(), options};
  };
  // Compiled once, because some tests check thousands of lines.
  static checker check;
  return check.one.scan(text).error == RTBWIRE_ERROR_NONE;
}

}  // namespace rtbwire::tool::test
