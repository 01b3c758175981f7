// A bump arena over memory that the caller owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rtbwire {

/// Bump arena over a fixed buffer. It never allocates, frees or throws. If it is full, it returns
/// nullptr.
///
/// Invariants: used_ <= size_, used_ <= peak_ <= size_, and last_ == none or last_ <= used_.
/// Lifetime: a pointer is valid until reset() to an earlier mark, or as long as the buffer.
/// Threads: an arena belongs to one thread at a time. It shares no state.
class fixed_arena final {
 public:
  using mark_type = std::size_t;

  fixed_arena(void* base, std::size_t size) noexcept
      : base_{static_cast<std::byte*>(base)}, size_{base == nullptr ? 0 : size} {}
  fixed_arena(const fixed_arena&) = delete;
  fixed_arena& operator=(const fixed_arena&) = delete;

  /// Returns uninitialised room for n objects of T, or nullptr if it does not fit.
  template <class T>
  [[nodiscard]] T* take(std::size_t n) noexcept {
    static_assert(std::is_trivially_destructible_v<T>, "reset() runs no destructors");
    // n * sizeof(T) could wrap, so divide.
    if (n > size_ / sizeof(T)) return nullptr;
    return static_cast<T*>(take_bytes(n * sizeof(T), alignof(T)));
  }

  /// Returns room for size bytes at a multiple of align, a power of two. Zero bytes use one byte,
  /// so that no two blocks have the same address.
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

  /// Grows or shrinks a block. The last block changes in place. Any other block moves if it grows,
  /// and its old room stays in use until reset(). If the result is nullptr, the old block is
  /// unchanged.
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

  /// Frees the last block. Does nothing for any other block, a block that was freed before, or a
  /// foreign pointer.
  void give_back(void* block) noexcept {
    if (!is_last(block)) return;
    used_ = last_;
    last_ = none;
  }

  /// Returns the state that reset() restores. Take one before a packet and restore it after.
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
  /// Returns the most that was ever in use, including blocks that were freed.
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
