#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "loaders/text/text_input.hpp"

namespace gas::loaders {

constexpr std::uint64_t largest_id = std::numeric_limits<std::int64_t>::max();

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

/// In lower case.
inline std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// For messages: text in quotation marks, cut if long, without control characters.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string token = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    token += byte < 32 || byte == 127 ? '?' : c;
  }
  return token + (text.size() >= longest ? "…'" : "'");
}

/// A number as a float, and as a double.
struct RoundedNumber {
  float value = 0;
  double exact = 0;
};

/// Walks over text that ends in '\n', which is never stepped over but by next_line: so nothing here
/// checks for the end of the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }
  const char* position() const { return at_; }
  char peek() const { return *at_; }
  bool at_line_end() const { return *at_ == '\n' || (*at_ == '\r' && at_[1] == '\n'); }

  void skip_blanks() {
    while (is_blank(*at_)) ++at_;
  }
  void next_line() {
    if (*at_ == '\n') {
      ++at_;
      return;
    }
    if (at_line_end()) {
      at_ += 2;
      return;
    }
    const char* const end =
        static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    refuse_returns({at_, static_cast<std::size_t>(end - at_ - (end != at_ && end[-1] == '\r'))});
    at_ = end + 1;
  }
  void step() { ++at_; }

  /// Blanks with at most one comma among them; false if there is nothing of the kind.
  bool separator() {
    const char* const before = at_;
    skip_blanks();
    if (*at_ == ',') {
      ++at_;
      skip_blanks();
    }
    return at_ != before;
  }
  /// The same between columns of a table. BadText if there are two tabs side by side, as a field
  /// may be missing between them.
  bool column_separator() {
    const char* const before = at_;
    if (!separator()) return false;
    if (at_ - before > 1) refuse_tabs(before);
    return true;
  }

  /// Decimal digits up to `largest`. What follows them is the caller's to check (ends_token).
  std::uint64_t integer(std::uint64_t largest, const char* expected) {
    const char* const begin = at_;
    std::uint64_t value = 0;
    at_ = read_digits(at_, value);
    if (at_ == begin) fail(begin, expected);
    if (at_ - begin > 18) {
      const auto [stop, code] = std::from_chars(begin, end_, value);
      if (code != std::errc()) fail(begin, expected);
    }
    if (value > largest) fail(begin, expected);
    return value;
  }

  /// A finite number; one too small for T counts as zero.
  template <class T>
  T real(const char* expected) {
    T value = 0;
    double exact = 0;
    if (short_decimal(value, exact)) return value;
    return long_real<T>(expected);
  }
  /// The same for a float, and what was rounded to it.
  RoundedNumber rounded(const char* expected) {
    RoundedNumber number;
    if (short_decimal(number.value, number.exact)) return number;
    Scanner again(*this);
    number.value = long_real<float>(expected);
    number.exact = again.long_real<double>(expected);
    return number;
  }

  /// A run of characters up to a separator or the line's end; empty if there is none. No NUL in it.
  std::string_view name(const char* expected) {
    const char* const begin = at_;
    while (!ends_token()) {
      if (*at_ == '\0') throw BadText{at_, "a NUL byte", expected};
      ++at_;
    }
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  bool ends_token() const {
    return is_blank(*at_) || *at_ == ',' || *at_ == '\n' || (*at_ == '\r' && at_[1] == '\n');
  }

  /// What begins at `begin` is not `expected` if neither a blank nor the line's end is here.
  void expect_blank(const char* begin, const char* expected) const {
    if (is_blank(*at_) || at_line_end()) return;
    refuse_returns(rest_of_line(begin));
    throw BadText{begin, token_at(begin, [](char c) { return is_blank(c); }), expected};
  }

  /// What stands at the scanner's place is not `expected`.
  [[noreturn]] void fail(const char* expected) const { fail(at_, expected); }
  [[noreturn]] void fail(const char* at, const char* expected) const {
    refuse_returns(rest_of_line(at));
    throw BadText{at, token_at(at, [](char c) { return is_blank(c) || c == ','; }), expected};
  }

 private:
  void refuse_tabs(const char* from) const {
    for (; from + 1 < at_; ++from)
      if (from[0] == '\t' && from[1] == '\t')
        throw BadText{from, "two tabs side by side",
                      "a field between them (if they are one gap, give --delimiter blanks)"};
  }

  /// A number of any form.
  template <class T>
  T long_real(const char* expected) {
    T value = 0;
    const char* const begin = at_;
    const char* number = begin;
    if (*number == '+' && (is_digit(number[1]) || number[1] == '.')) ++number;
    const auto [stop, code] = std::from_chars(number, end_, value);
    if (code == std::errc::result_out_of_range) {
      value = out_of_range<T>({number, static_cast<std::size_t>(stop - number)});
      if (!std::isfinite(value)) fail(begin, held<T>());
    } else if (code != std::errc() || !std::isfinite(value)) {
      fail(begin, expected);
    }
    at_ = stop;
    return value;
  }

  /// Adds decimal digits to `value`, modulo 2⁶⁴, up to eight at a step. Returns where they end.
  [[gnu::always_inline]] const char* read_digits(const char* at, std::uint64_t& value) const {
    constexpr std::array<std::uint64_t, 9> power{1,      10,      100,      1000,     10000,
                                                 100000, 1000000, 10000000, 100000000};
    while (end_ - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);  // the first character is the lowest byte
      word ^= 0x3030303030303030U;          // a digit is its value now, all else is above 9
      const std::uint64_t others =
          (word | ((word & 0x7f7f7f7f7f7f7f7fU) + 0x7676767676767676U)) & 0x8080808080808080U;
      const int digits = std::countr_zero(others) / 8;
      if (digits == 0) return at;
      word <<= 64 - 8 * digits;  // the digits are the last of eight, behind zeros
      word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffU;
      word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffU;
      word = (word * 10000 + (word >> 32)) & 0xffffffffU;
      value = value * power[static_cast<std::size_t>(digits)] + word;
      at += digits;
      if (digits < 8) return at;
    }
    while (is_digit(*at)) value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
    return at;
  }

  /// Reads a number without an exponent whose digits and power of ten are exact as doubles, and
  /// rounds once; false, having read nothing, if it is another. `exact` is the nearest double.
  template <class T>
  bool short_decimal(T& value, double& exact) {
    constexpr std::array<double, 16> power{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool minus = *at_ == '-';
    const char* at = at_ + (minus || *at_ == '+' ? 1 : 0);
    const char* const begin = at;
    std::uint64_t digits = 0;
    at = read_digits(at, digits);
    std::ptrdiff_t count = at - begin, fraction = 0;
    if (*at == '.') {
      const char* const point = at++;
      at = read_digits(at, digits);
      fraction = at - point - 1;
      count += fraction;
    }
    if (count == 0 || count > 15 || *at == 'e' || *at == 'E') return false;
    exact = static_cast<double>(digits) / power[static_cast<std::size_t>(fraction)];
    if constexpr (std::is_same_v<T, float>) {
      // Rounded twice is rounded once, unless the first time led to the middle of two floats.
      constexpr std::uint64_t below = (std::uint64_t{1} << 29) - 1, middle = std::uint64_t{1} << 28;
      if ((std::bit_cast<std::uint64_t>(exact) & below) == middle && fraction > 0) return false;
    }
    if (minus) exact = -exact;
    value = static_cast<T>(exact);
    at_ = at;
    return true;
  }

  /// Without its end; empty where no line's end follows.
  std::string_view rest_of_line(const char* at) const {
    const std::string_view rest(at, static_cast<std::size_t>(std::max(at, end_) - at));
    const std::string_view line = rest.substr(0, std::min(rest.size(), rest.find('\n')));
    return line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
  }

  /// For messages: the token at a place, up to a character at which it ends.
  template <class Ends>
  static std::string token_at(const char* at, Ends ends_at) {
    const auto ends = [](const char* c) { return *c == '\n' || (*c == '\r' && c[1] == '\n'); };
    if (ends(at)) return "the end of the line";
    if (*at == ',') return "an empty field";
    const char* end = at + 1;
    while (end - at < 40 && !ends(end) && !ends_at(*end)) ++end;
    return quoted({at, static_cast<std::size_t>(end - at)});
  }

  /// What a number must be that T cannot hold.
  template <class T>
  static constexpr const char* held() {
    return std::is_same_v<T, float> ? "a number that a 32-bit float holds, at most 3.4e38 in size"
                                    : "a number that a 64-bit float holds, at most 1.7e308 in size";
  }

  /// Zero if the number is too small in size for T, else infinity.
  template <class T>
  static T out_of_range(std::string_view number) {
    if constexpr (std::is_same_v<T, float>) {
      double wide = 0;
      const auto result = std::from_chars(number.data(), number.data() + number.size(), wide);
      if (result.ec == std::errc()) return static_cast<T>(wide);
    }
    // The power of ten of the first digit that is not 0: of its place and the exponent.
    const std::string_view digits = number.substr(0, number.find_first_of("eE"));
    const auto first = static_cast<std::ptrdiff_t>(digits.find_first_of("123456789"));
    const auto point = static_cast<std::ptrdiff_t>(std::min(digits.find('.'), digits.size()));
    std::ptrdiff_t power = point - first;
    if (digits.size() < number.size()) {
      std::string_view exponent = number.substr(digits.size() + 1);
      if (exponent.starts_with('+')) exponent.remove_prefix(1);
      std::ptrdiff_t told = 0;
      const auto end = exponent.data() + exponent.size();
      const bool fits = std::from_chars(exponent.data(), end, told).ec == std::errc() &&
                        std::abs(told) < std::numeric_limits<std::ptrdiff_t>::max() / 2;
      power = fits ? power + told : (exponent.starts_with('-') ? -1 : 1);
    }
    return power < 0 ? T{0} : std::numeric_limits<T>::infinity();
  }

  const char* at_;
  const char* end_;
};

}  // namespace gas::loaders
