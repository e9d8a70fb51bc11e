#pragma once

// All headers that most vertex programs and their main functions need.
#include "gas/base/error.hpp"
#include "gas/context.hpp"
#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "gas/map_reduce.hpp"
#include "gas/program/lists.hpp"
