#pragma once

namespace gas {

/// What the ids of consecutive rows are: numbers that follow one another, other numbers, or names.
enum class IdKind { consecutive, numbers, names };

}  // namespace gas
