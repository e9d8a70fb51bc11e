#pragma once

namespace gas {

/// The penalty R(w), which keeps weights small. l1: ‖w‖₁. l2: ½‖w‖².
enum class Penalty { l1, l2 };

}  // namespace gas
