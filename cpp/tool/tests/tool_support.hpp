// Shared by the tests of the tool.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "capture_write.hpp"
#include "document.hpp"
#include "intake.hpp"
#include "pipeline.hpp"

namespace rtbwire::tool::test {

/// Keeps documents instead of scanning them.
class collector final : public document_sink {
 public:
  struct item {
    document_head head;
    std::string text;
    std::uint64_t size;
  };
  void document(const document_head& head, bytes payload) override {
    items.push_back({head, {payload.begin(), payload.end()}, payload.size()});
  }
  void too_large(const document_head& head, std::uint64_t size) override {
    items.push_back({head, {}, size});
  }
  std::vector<std::string> texts() const;
  std::vector<item> items;
};

bytes as_bytes(std::string_view text);
std::uint64_t count(const counters& c, counter which);

/// A file that is deleted with the object.
class temporary_file {
 public:
  explicit temporary_file(std::string_view content = {});
  ~temporary_file();
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A running program, with its standard output and error in files.
class process {
 public:
  explicit process(std::vector<std::string> command, std::string_view input = {},
                   std::vector<std::string> environment = {});
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void signal(int number) const;
  /// Returns the exit status, or minus the signal that ended the program.
  int wait();
  std::string output() const;
  std::string errors() const;
  const std::string& output_path() const { return output_.path(); }
  /// Waits until standard error contains text. Returns false after ten seconds.
  bool says(std::string_view text) const;

 private:
  temporary_file input_, output_, errors_;
  pid_t pid_{-1};
  int status_{-1};
};

struct result {
  int status;
  std::string output, errors;
};
result run(std::vector<std::string> command, std::string_view input = {});

/// Returns the command line of rtbwire-scan with these arguments.
std::vector<std::string> scan_command(std::vector<std::string> arguments);

/// Returns the number after "name": in a line of JSON, or -1.
long long number(std::string_view line, std::string_view name);
/// Returns the JSON string after "name": with its escapes, or "".
std::string field(std::string_view line, std::string_view name);
std::vector<std::string> lines(const std::string& text);
/// Reports whether the library accepts it as RFC 8259 JSON in UTF-8.
bool is_json(std::string_view text);

}  // namespace rtbwire::tool::test
