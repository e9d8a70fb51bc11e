#include <pybind11/numpy.h>

#include <cstring>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "loaders/ids/hashed.hpp"
#include "programs/logistic_regression/online_learner.hpp"
#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"

namespace gas::python {
namespace {

static_assert(std::is_trivially_copyable_v<OnlineLearner::Weight> &&
              std::is_trivially_copyable_v<OnlineLearner::Totals>);

struct Learner : OnlineLearner {
  bool busy = false;  // a thread learns; read and written with Python's lock
};

/// Until the end of the scope this thread learns. RunError if another one does.
class Learning {
 public:
  explicit Learning(Learner& learner) : learner_(learner) {
    if (learner.busy) throw RunError("another thread is learning by this estimator");
    learner.busy = true;
  }
  Learning(const Learning&) = delete;
  Learning& operator=(const Learning&) = delete;
  ~Learning() { learner_.busy = false; }

 private:
  Learner& learner_;
};

Learner begin(double rate, bool bias, std::size_t columns) {
  Learner learner{{rate, bias}};
  learner.grow(columns);
  return learner;
}

/// Rows in compressed form; columns are below those of the learner. RunError while another thread
/// learns.
void learn(Learner& learner, const Borrowed<double>& signs, const Borrowed<std::int64_t>& offsets,
           const Borrowed<std::uint32_t>& columns, const Borrowed<float>& values) {
  const auto sign = numbers(signs);
  const auto offset = numbers(offsets);
  const auto column = numbers(columns);
  const auto value = numbers(values);
  const Learning alone(learner);
  unlocked([&] {
    for (std::size_t row = 0; row < sign.size(); ++row) {
      const auto first = static_cast<std::size_t>(offset[row]);
      const auto count = static_cast<std::size_t>(offset[row + 1]) - first;
      learner.learn(sign[row], column.subspan(first, count), value.subspan(first, count));
    }
  });
}

double value_of(const OnlineLearner::Weight& weight) { return weight.value() + 0.0; }  // no −0

py::array_t<double> weights(const Learner& learner) {
  std::vector<double> all;
  all.reserve(learner.columns());
  for (const OnlineLearner::Weight& weight : learner.weights()) all.push_back(value_of(weight));
  return array_of(std::move(all));
}

/// Columns are below those of the learner.
py::array_t<double> weights_at(const Learner& learner, const Borrowed<std::uint32_t>& columns) {
  std::vector<double> some;
  some.reserve(numbers(columns).size());
  for (const std::uint32_t column : numbers(columns))
    some.push_back(value_of(learner.weights()[column]));
  return array_of(std::move(some));
}

double intercept(const Learner& learner) {
  return learner.has_bias() ? value_of(learner.bias()) : 0;
}

template <class T>
py::bytes bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

template <class T>
std::vector<T> values_in(const py::bytes& bytes) {
  const auto text = static_cast<std::string_view>(bytes);
  std::vector<T> values(text.size() / sizeof(T));
  std::memcpy(values.data(), text.data(), values.size() * sizeof(T));
  return values;
}

py::tuple state_of(const Learner& learner) {
  return py::make_tuple(learner.rate(), learner.has_bias(),
                        bytes_of(learner.weights().data(), learner.weights().size()),
                        bytes_of(&learner.bias(), 1), bytes_of(&learner.totals(), 1));
}

Learner learner_in(const py::tuple& state) {
  return {{state[0].cast<double>(), state[1].cast<bool>(),
           values_in<OnlineLearner::Weight>(state[2].cast<py::bytes>()),
           values_in<OnlineLearner::Weight>(state[3].cast<py::bytes>()).at(0),
           values_in<OnlineLearner::Totals>(state[4].cast<py::bytes>()).at(0)}};
}

py::array_t<std::uint32_t> hashed_columns(const Borrowed<std::int64_t>& columns, unsigned bits) {
  std::vector<std::uint32_t> hashed;
  hashed.reserve(numbers(columns).size());
  for (const std::int64_t column : numbers(columns))
    hashed.push_back(loaders::hashed(static_cast<std::uint64_t>(column), bits));
  return array_of(std::move(hashed));
}

}  // namespace

void bind_online(py::module_& module) {
  const auto columns = py::arg("columns");
  py::class_<Learner>(module, "OnlineLearner")
      .def(py::init(&begin), py::arg("rate"), py::arg("bias"), columns)
      .def("learn", &learn, py::arg("signs").noconvert(), py::arg("offsets").noconvert(),
           py::arg("columns").noconvert(), py::arg("values").noconvert())
      .def("weights", &weights)
      .def("weights_of", &weights_at, py::arg("columns").noconvert())
      .def_property_readonly("intercept", &intercept)
      .def_property_readonly("examples", [](const Learner& of) { return of.examples(); })
      .def_property_readonly("loss", [](const Learner& of) { return of.loss(); })
      .def("__reduce_ex__", &reduce)
      .def(py::pickle(&state_of, &learner_in));
  module.def("hashed_columns", &hashed_columns, py::arg("columns").noconvert(), py::arg("bits"));
}

}  // namespace gas::python
