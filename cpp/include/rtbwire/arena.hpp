// A bump arena over memory the caller owns: what a packet needs, and nothing from the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rtbwire {

/// Bump arena over a fixed buffer. It never allocates, frees or throws; full is an ordinary
/// answer (nullptr), not an error.
///
/// Invariants: used_ <= size_, used_ <= peak_ <= size_, and last_ == none or last_ <= used_.
/// Lifetime: every pointer dies at reset() to an earlier mark, or with the buffer.
/// Threads: one arena belongs to one thread at a time; nothing in it is shared or hidden.
class fixed_arena final {
 public:
  using mark_type = std::size_t;

  fixed_arena(void* base, std::size_t size) noexcept
      : base_{static_cast<std::byte*>(base)}, size_{base == nullptr ? 0 : size} {}
  fixed_arena(const fixed_arena&) = delete;
  fixed_arena& operator=(const fixed_arena&) = delete;

  /// Uninitialised room for n objects of T, or nullptr when it does not fit.
  template <class T>
  [[nodiscard]] T* take(std::size_t n) noexcept {
    static_assert(std::is_trivially_destructible_v<T>, "reset() runs no destructors");
    // Divided, not multiplied: n * sizeof(T) may wrap.
    if (n > size_ / sizeof(T)) return nullptr;
    return static_cast<T*>(take_bytes(n * sizeof(T), alignof(T)));
  }

  /// Room for size bytes at a multiple of align, a power of two. Zero bytes take one, so
  /// that no two live blocks have the same address.
  [[nodiscard]] void* take_bytes(std::size_t size, std::size_t align) noexcept {
    if (align == 0 || (align & (align - 1)) != 0) return nullptr;
    if (size == 0) size = 1;
    const auto here = reinterpret_cast<std::uintptr_t>(base_) + used_;
    const std::size_t pad = (align - (here & (align - 1))) & (align - 1);
    const std::size_t room = size_ - used_;
    if (pad > room || size > room - pad) return nullptr;
    last_ = used_ + pad;
    set_used(last_ + size);
    return base_ + last_;
  }

  /// Grows or shrinks a block. The last block changes in place; another one moves, and its
  /// old room stays taken until reset(). nullptr leaves the old block as it was.
  [[nodiscard]] void* resize(void* block, std::size_t size_old, std::size_t size_new,
                             std::size_t align) noexcept {
    if (block == nullptr) return take_bytes(size_new, align);
    if (!holds(block)) return nullptr;
    if (is_last(block)) {
      if (size_new == 0) size_new = 1;
      if (size_new > size_ - last_) return nullptr;
      set_used(last_ + size_new);
      return block;
    }
    if (size_new <= size_old) return block;
    void* moved = take_bytes(size_new, align);
    if (moved != nullptr) std::memcpy(moved, block, size_old);
    return moved;
  }

  /// Returns a block early. Only the last one gives its room back; for any other, for one
  /// returned twice and for a foreign pointer this does nothing.
  void give_back(void* block) noexcept {
    if (!is_last(block)) return;
    used_ = last_;
    last_ = none;
  }

  /// The place to reset() to: taken before a packet, restored after it, whatever happened
  /// in between. There is no count of blocks that could go wrong.
  [[nodiscard]] mark_type mark() const noexcept { return used_; }

  void reset(mark_type mark = 0) noexcept {
    if (mark > used_) return;
    used_ = mark;
    last_ = none;
  }

  [[nodiscard]] bool holds(const void* block) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(block);
    const auto from = reinterpret_cast<std::uintptr_t>(base_);
    return at >= from && at - from < used_;
  }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The most that was ever in use, transients and failed packets included.
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  [[nodiscard]] bool is_last(const void* block) const noexcept {
    return last_ != none && block == base_ + last_;
  }
  void set_used(std::size_t used) noexcept {
    used_ = used;
    if (used_ > peak_) peak_ = used_;
  }

  std::byte* base_;
  std::size_t size_;
  std::size_t used_{0};
  std::size_t peak_{0};
  std::size_t last_{none};
};

}  // namespace rtbwire
