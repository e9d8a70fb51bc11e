#pragma once

#include "gas/graph/by_id.hpp"
