// nlohmann::json, with and without exceptions, with the heap, our arena and std::pmr.
//
// Its allocators must be default-constructible, because a parse cannot be given one. So the arena
// is in a thread_local variable of this file, and what std::pmr allocates from is the default
// resource of the process, which passes calls on to a thread_local one.
#include <memory>
#include <memory_resource>
#include <nlohmann/json.hpp>
#include <vector>

#include "contender.hpp"
#include "rtbwire/arena.hpp"

namespace rtbwire::bench {
namespace {

thread_local fixed_arena* current = nullptr;

template <class T>
struct arena_allocator {
  using value_type = T;
  arena_allocator() = default;
  template <class U>
  arena_allocator(const arena_allocator<U>&) {}
  T* allocate(std::size_t n) {
    if (n > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length{};
    // Not take(), which refuses types with destructors. The containers run them.
    void* p = current->take_bytes(n * sizeof(T), alignof(T));
    if (p == nullptr) throw std::bad_alloc{};
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) noexcept { current->give_back(p); }
  template <class U>
  bool operator==(const arena_allocator<U>&) const {
    return true;
  }
};

template <template <class> class Allocator>
using json_with =
    nlohmann::basic_json<std::map, std::vector,
                         std::basic_string<char, std::char_traits<char>, Allocator<char>>, bool,
                         std::int64_t, std::uint64_t, double, Allocator>;

// std::pmr::polymorphic_allocator itself does not compile as the allocator of nlohmann::json
// 3.11.2: it passes itself on to what it constructs. This one has the same pointer, and constructs
// as std::allocator does.
template <class T>
struct pmr_allocator {
  using value_type = T;
  pmr_allocator() = default;
  template <class U>
  pmr_allocator(const pmr_allocator<U>& other) : resource{other.resource} {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(resource->allocate(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t n) { resource->deallocate(p, n * sizeof(T), alignof(T)); }
  template <class U>
  bool operator==(const pmr_allocator<U>& other) const {
    return *resource == *other.resource;
  }
  std::pmr::memory_resource* resource = std::pmr::get_default_resource();
};

// Recursive, bounded by the packets of the corpus. It calls the heap for nothing.
template <class Search, class Json>
bool walk(const Json& j) {
  if (j.is_string()) {
    const auto& s = j.template get_ref<const typename Json::string_t&>();
    return Search::find({s.data(), s.size()});
  }
  if (j.is_object()) {
    for (auto it = j.begin(); it != j.end(); ++it)
      if ((Search::keys && Search::find({it.key().data(), it.key().size()})) ||
          walk<Search>(it.value()))
        return true;
  } else if (j.is_array()) {
    for (const auto& v : j)
      if (walk<Search>(v)) return true;
  }
  return false;
}

template <class Search, class Json, bool Throws>
answer parse_and_walk(std::string_view packet) {
  try {
    const Json j = Json::parse(packet.begin(), packet.end(), nullptr, Throws);
    if (j.is_discarded()) return answer::invalid;
    return walk<Search>(j) ? answer::malicious : answer::clean;
  } catch (const std::bad_alloc&) {
    return answer::refused;
  } catch (const std::exception&) {
    return answer::invalid;
  }
}

template <class Search, bool Throws>
class on_heap final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return parse_and_walk<Search, nlohmann::json, Throws>(packet);
  }
};

template <class Search, bool Throws, std::size_t Size = arena_size>
class on_arena final : public arena_contender<Size> {
  answer judge_in(fixed_arena& arena, std::string_view packet) override {
    current = &arena;
    return parse_and_walk<Search, json_with<arena_allocator>, Throws>(packet);
  }
};

thread_local std::pmr::memory_resource* current_resource = nullptr;

// All threads have the same default resource.
class by_thread final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t n, std::size_t align) override {
    return current_resource->allocate(n, align);
  }
  void do_deallocate(void* p, std::size_t n, std::size_t align) override {
    current_resource->deallocate(p, n, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};
by_thread default_resource;

// A buffer from which std::pmr takes room. If it is full, allocating throws std::bad_alloc.
template <class Search>
class on_pmr final : public contender {
 public:
  on_pmr() { std::pmr::set_default_resource(&default_resource); }
  answer judge(std::string_view packet) override {
    std::pmr::monotonic_buffer_resource room{buffer_, sizeof buffer_,
                                             std::pmr::null_memory_resource()};
    current_resource = &room;
    return parse_and_walk<Search, json_with<pmr_allocator>, false>(packet);
  }

 private:
  alignas(64) std::byte buffer_[arena_size];
};

template <class Row>
void add(const char* name, abilities can = {}) {
  add_row(name, []() -> contender* { return new Row; }, can);
}

}  // namespace

void add_nlohmann_rows() {
  add_note("nlohmann::json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + '.' +
                                 std::to_string(NLOHMANN_JSON_VERSION_MINOR) + '.' +
                                 std::to_string(NLOHMANN_JSON_VERSION_PATCH));
  constexpr abilities small{.any_size = false}, one{.all_payloads = false};
  add<on_heap<all_needles, true>>("nlohmann-throw");
  add<on_heap<all_needles, false>>("nlohmann-noexcept");
  add<on_arena<all_needles, true>>("nlohmann-arena-throw");
  add<on_arena<all_needles, false>>("nlohmann-arena-noexcept");
  add<on_arena<all_needles, false, arena_size_small>>("nlohmann-4096", small);
  add<on_pmr<all_needles>>("nlohmann-pmr");
  add<on_heap<one_literal, true>>("nlohmann-throw-needle", one);
  add<on_heap<one_literal, false>>("nlohmann-noexcept-needle", one);
  add<on_arena<one_literal, true>>("nlohmann-arena-throw-needle", one);
  add<on_arena<one_literal, false>>("nlohmann-arena-noexcept-needle", one);
  add<on_pmr<one_literal>>("nlohmann-pmr-needle", one);
}

}  // namespace rtbwire::bench
