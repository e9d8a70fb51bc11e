#pragma once

// All that most vertex programs and their mains need.
#include "gas/base/error.hpp"
#include "gas/context.hpp"
#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "gas/map_reduce.hpp"
#include "gas/program/lists.hpp"
