#include "pipeline.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace rtbwire::tool {

void batch::copy(const document_head& head, bytes payload) noexcept {
  std::uint8_t* const to = buffer_.get() + used_;
  if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
  documents.push_back({head, to, payload.size()});
  used_ += payload.size();
}

shared_engine::shared_engine(const scan_settings& settings)
    : expressions_{settings.regex.empty() ? nullptr
                                          : std::make_unique<expression_set>(settings.regex)},
      patterns_{expressions_ ? expressions_->patterns() : default_patterns()},
      memory_(expressions_ ? engine::memory(expressions_->matcher()) : engine::memory(patterns_)),
      engine_{expressions_ ? engine{memory_, expressions_->matcher(), settings.engine}
                           : engine{memory_, patterns_, settings.engine}} {
  if (engine_.status() == RTBWIRE_NO_KERNEL)
    throw usage_error{std::string{"this processor cannot run the kernel "} +
                      rtbwire_kernel_name(settings.engine.kernel) + "; remove --kernel"};
  if (engine_.status() != RTBWIRE_OK) throw usage_error{"the engine refuses these options"};
}

judge::judge(const shared_engine& engine, const scan_settings& settings, counters& counts)
    : engine_{engine}, settings_{settings}, counts_{counts},
      memory_(scanner::memory(settings.scanner)),
      scratch_{engine.expressions() != nullptr ? engine.expressions()->scratch() : nullptr},
      scanner_{engine.expressions() != nullptr
                   ? scanner{memory_, engine.get(), scratch_.get(), settings.scanner}
                   : scanner{memory_, engine.get(), settings.scanner}} {
  if (scanner_.status() != RTBWIRE_OK)
    throw usage_error{"--packet-max or --depth is too large; lower it"};
}

void judge::operator()(batch& b) noexcept {
  static constexpr counter outcomes[] = {counter::clean,    counter::malicious, counter::malformed,
                                         counter::too_deep, counter::too_large, counter::exhausted,
                                         counter::failed};
  for (const document& d : b.documents) {
    verdict v{};
    // A document without bytes is longer than packet_max.
    if (d.data != nullptr) rtbwire_scan(scanner_.get(), d.data, d.size, &v);
    else v.outcome = RTBWIRE_TOO_LARGE;
    const bool refused = rtbwire_refuse(&v, settings_.fail_closed) != 0;
    if (d.head.from == transport::tcp || d.head.from == transport::http)
      counts_.add(counter::stream_documents);
    else counts_.add(counter::scanned);
    counts_.add(outcomes[v.outcome]);
    counts_.add(counter::document_bytes, d.size);
    if (d.head.truncated) counts_.add(counter::truncated);
    if (refused) counts_.add(counter::refused);
    const bool shown = settings_.show == show::all ||
                       (settings_.show == show::refused && refused) ||
                       (settings_.show == show::matched && v.outcome == RTBWIRE_MALICIOUS);
    if (shown) write_line(b.text, d, v, engine_.patterns(), refused);
  }
}

pipeline::pipeline(const shared_engine& engine, const scan_settings& settings, unsigned threads,
                   ledger& all, line_sink& out, stopper& stop)
    : packet_max_{settings.scanner.packet_max}, out_{out}, stop_{stop} {
  const std::size_t batches = 2 * std::size_t{threads} + 2;
  const std::size_t size = std::max<std::size_t>(packet_max_, 256 << 10);
  for (std::size_t i = 0; i < batches; ++i) ring_.push_back(std::make_unique<batch>(size));
  done_.resize(batches);
  for (unsigned i = 0; i < threads; ++i)
    judges_.push_back(std::make_unique<judge>(engine, settings, all.open()));
  try {
    for (auto& one : judges_) threads_.emplace_back([this, &one] { work(*one); });
  } catch (const std::system_error&) {
    finish();
    throw input_error{"cannot start more than " + std::to_string(threads_.size()) +
                      " threads; lower --threads"};
  }
}

void pipeline::document(const document_head& head, bytes payload) {
  if (payload.size() > packet_max_) return too_large(head, payload.size());
  if (!current().fits(payload.size())) flush();
  current().copy(head, payload);
}

void pipeline::too_large(const document_head& head, std::uint64_t size) {
  if (!current().fits(0)) flush();
  current().documents.push_back({head, nullptr, size});
}

// Returns the batch to fill; waits until one is free.
batch& pipeline::current() {
  if (filling_ == nullptr) {
    std::unique_lock lock{mutex_};
    written_changed_.wait(lock, [&] { return filled_ - written_ < ring_.size(); });
    filling_ = ring_[filled_ % ring_.size()].get();
    filling_->clear();
  }
  return *filling_;
}

void pipeline::flush() {
  if (filling_ == nullptr || filling_->documents.empty()) return;
  filling_ = nullptr;
  {
    const std::lock_guard lock{mutex_};
    ++filled_;
  }
  filled_changed_.notify_one();
}

void pipeline::work(judge& judge) {
  std::unique_lock lock{mutex_};
  for (;;) {
    filled_changed_.wait(lock, [&] { return taken_ < filled_ || finished_; });
    if (taken_ == filled_) return;
    const std::size_t place = taken_++ % ring_.size();
    lock.unlock();
    judge(*ring_[place]);
    lock.lock();
    done_[place] = true;
    if (!writing_) write_done(lock);
  }
}

// Writes the lines of the batches that have been scanned and are next in order.
void pipeline::write_done(std::unique_lock<std::mutex>& lock) {
  writing_ = true;
  while (done_[written_ % ring_.size()]) {
    const std::size_t place = written_ % ring_.size();
    lock.unlock();
    if (!out_.write(ring_[place]->text.text())) stop_.stop();
    lock.lock();
    done_[place] = false;
    ++written_;
    written_changed_.notify_one();
  }
  writing_ = false;
}

void pipeline::finish() {
  flush();
  {
    const std::lock_guard lock{mutex_};
    finished_ = true;
  }
  filled_changed_.notify_all();
  for (std::thread& t : threads_)
    if (t.joinable()) t.join();
}

}  // namespace rtbwire::tool
