#include "tools/python/bindings/session.hpp"

#include <mpi.h>
#include <pybind11/stl.h>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/exchange/mpi_transport.hpp"

namespace gas::python {
namespace {

MPI_Comm communicator_of(int handle) {
  int running = 0;
  MPI_Initialized(&running);
  if (running == 0)
    throw UsageError(
        "comm: found a communicator before MPI is initialised: import mpi4py.MPI first");
  const MPI_Comm communicator = MPI_Comm_f2c(handle);
  if (communicator == MPI_COMM_NULL)
    throw UsageError("comm: found MPI.COMM_NULL, expected a communicator with ranks");
  return communicator;
}

}  // namespace

Session::Session(std::optional<int> communicator, unsigned threads) {
  if (!communicator) {
    context_ = std::make_unique<Context>(threads);
    return;
  }
  transport_ = std::make_unique<MpiTransport>(communicator_of(*communicator));
  context_ = std::make_unique<Context>(*transport_, threads);
}

const Context& Session::context() const {
  if (!context_) throw UsageError("found a session that is closed");
  return *context_;
}

void Session::close() {
  context_.reset();
  transport_.reset();
}

void bind_session(py::module_& module) {
  py::class_<Session>(module, "Session")
      .def("__reduce_ex__", &reduce)
      .def(py::init([](std::optional<int> communicator, unsigned threads) {
             return unlocked([&] { return std::make_unique<Session>(communicator, threads); });
           }),
           py::arg("communicator"), py::arg("threads"))
      .def("close", &Session::close, py::call_guard<Unlocked>())
      .def_property_readonly("rank", [](const Session& self) { return self.context().rank(); })
      .def_property_readonly("ranks", [](const Session& self) { return self.context().ranks(); })
      .def_property_readonly("threads",
                             [](const Session& self) { return self.context().threads(); })
      .def(
          "block",
          [](const Session& self, std::uint64_t count) {
            const BlockDistribution blocks{count, self.context().ranks()};
            const int rank = self.context().rank();
            return std::pair(blocks.first(rank), blocks.first(rank + 1));
          },
          py::arg("count"));
}

}  // namespace gas::python
