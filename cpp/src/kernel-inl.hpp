// The vector kernel: the parts, put together for one instruction set.
#pragma once

#include "decode-inl.hpp"
#include "grammar-inl.hpp"
#include "kernel.hpp"
#include "layers-inl.hpp"
#include "search-inl.hpp"
#include "skip-inl.hpp"
#include "utf8-inl.hpp"
#include "vector.hpp"
#include "walk-inl.hpp"

namespace rtbwire {
namespace {

template <byte_vector Vec>
constexpr kernel_ops vector_kernel() noexcept {
  using skip = vector_skip<Vec>;
  return {decode_text<Vec>, find_literals<Vec>, is_well_formed<Vec>, is_utf8<Vec>,
          walk<skip>,       locate<skip>,       decode_layers<skip>};
}

}  // namespace
}  // namespace rtbwire
