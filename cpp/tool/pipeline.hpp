// Documents to verdicts. One thread reads and fills batches, others scan them, and lines are
// written in the order of the documents. All memory is allocated at start. If every batch is full,
// the reader waits.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "document.hpp"
#include "expressions.hpp"
#include "output.hpp"
#include "rtbwire/scan.hpp"
#include "stats.hpp"
#include "stop.hpp"

namespace rtbwire::tool {

struct scan_settings {
  rtbwire_scanner_options scanner{RTBWIRE_STRICT, 65535, 0};
  rtbwire_engine_options engine{};
  std::string regex;  // a file of expressions, or empty
  bool fail_closed{true};
  tool::show show{tool::show::refused};
};

/// All counters of a run. Each thread opens one set.
class ledger {
 public:
  counters& open() {
    const std::lock_guard lock{mutex_};
    return all_.emplace_back();
  }
  totals sum() const {
    const std::lock_guard lock{mutex_};
    totals t;
    for (const counters& one : all_) t.add(one);
    return t;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<counters> all_;  // its elements do not move
};

inline constexpr std::size_t batch_documents = 256;

/// Documents with their bytes, and the lines of their verdicts.
class batch {
 public:
  explicit batch(std::size_t size)
      : buffer_{new std::uint8_t[size]}, size_{size}, lines_{new char[lines_size]},
        text{std::span{lines_.get(), lines_size}} {
    documents.reserve(batch_documents);
  }
  bool fits(std::size_t n) const noexcept {
    return documents.size() < batch_documents && n <= size_ - used_;
  }
  /// Requires that fits() is true.
  void copy(const document_head& head, bytes payload) noexcept;
  std::uint8_t* buffer() noexcept { return buffer_.get(); }
  void clear() noexcept {
    documents.clear();
    used_ = 0;
    text.clear();
  }

 private:
  static constexpr std::size_t lines_size = batch_documents * line_max;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t size_, used_{0};
  std::unique_ptr<char[]> lines_;

 public:
  std::vector<document> documents;
  text_buffer text;
};

/// The compiled patterns, shared by all threads.
class shared_engine {
 public:
  explicit shared_engine(const scan_settings& settings);
  const engine& get() const noexcept { return engine_; }
  std::span<const pattern> patterns() const noexcept { return patterns_; }
  /// The expressions of --regex, or nullptr.
  const expression_set* expressions() const noexcept { return expressions_.get(); }

 private:
  std::unique_ptr<expression_set> expressions_;
  std::span<const pattern> patterns_;
  std::vector<std::byte> memory_;
  engine engine_;
};

/// The scanner of one thread. It writes the lines of a batch, and counts.
class judge {
 public:
  judge(const shared_engine& engine, const scan_settings& settings, counters& counts);
  void operator()(batch& b) noexcept;

 private:
  const shared_engine& engine_;
  const scan_settings settings_;
  counters& counts_;
  std::vector<std::byte> memory_;
  std::shared_ptr<void> scratch_;
  scanner scanner_;
};

/// Receives documents from readers, in one thread.
class document_sink {
 public:
  virtual ~document_sink() = default;
  virtual void document(const document_head& head, bytes payload) = 0;
  /// Receives a document that was not kept because it is too long to be scanned.
  virtual void too_large(const document_head& head, std::uint64_t size) = 0;
};

class pipeline final : public document_sink {
 public:
  pipeline(const shared_engine& engine, const scan_settings& settings, unsigned threads,
           ledger& all, line_sink& out, stopper& stop);
  ~pipeline() override { finish(); }

  void document(const document_head& head, bytes payload) override;
  void too_large(const document_head& head, std::uint64_t size) override;
  /// Passes on the current batch. Call it before waiting for input.
  void flush();
  /// Scans and writes everything, and ends the threads.
  void finish();

 private:
  batch& current();
  void work(judge& judge);
  void write_done(std::unique_lock<std::mutex>& lock);

  const std::uint32_t packet_max_;
  line_sink& out_;
  stopper& stop_;
  std::vector<std::unique_ptr<batch>> ring_;  // batch number n lives in place n % size
  std::vector<bool> done_;
  batch* filling_{nullptr};

  std::mutex mutex_;
  std::condition_variable filled_changed_, written_changed_;
  // written_ <= taken_ <= filled_ <= written_ + ring_.size()
  std::uint64_t filled_{0}, taken_{0}, written_{0};
  bool writing_{false}, finished_{false};
  std::vector<std::unique_ptr<judge>> judges_;
  std::vector<std::thread> threads_;
};

}  // namespace rtbwire::tool
