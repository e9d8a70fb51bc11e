#pragma once

#include "gas/graph/random.hpp"  // gas::Random, which programs draw by
