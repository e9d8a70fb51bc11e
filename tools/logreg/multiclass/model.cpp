#include "tools/logreg/multiclass/model.hpp"

#include <algorithm>
#include <functional>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"

namespace gas::tools {

ClassesModel read_classes_model(Communicator& comm, const ModelFolder& stored) {
  ClassesModel model;
  std::uint64_t count = 0;
  together(comm, [&] {
    model.bias = stored.facts().flag("bias");
    model.method =
        stored.facts().flag("softmax") ? Multiclass::softmax : Multiclass::one_against_rest;
    count = stored.facts().count("classes");
  });
  loaders::NpyArray classes = loaders::read_npy(comm, stored.file("classes.npy"));
  together(comm, [&] {
    if (count < 2 || classes.shape != std::vector{count} ||
        std::ranges::adjacent_find(classes.values, std::greater_equal<>()) != classes.values.end())
      throw InputError(stored.file("classes.npy") +
                       ": its labels do not ascend, or their number does not match the manifest");
  });
  model.classes = std::move(classes.values);
  model.weights = read_weights(comm, stored, model.bias, model, count);
  return model;
}

void describe_model(const ClassesModel& model, Facts& facts) {
  facts.set("bias", model.bias);
  facts.set("softmax", model.method == Multiclass::softmax);
  facts.set("classes", std::uint64_t{model.classes.size()});
  describe_features(model, facts);
}

void write_model(Communicator& comm, const std::string& folder, const ClassesModel& model,
                 bool text) {
  const std::uint64_t count = model.classes.size();
  write_weights(comm, folder, model, model.weights, text, count);
  const BlockDistribution blocks{count, comm.size()};
  const std::uint64_t shape[] = {count};
  loaders::write_npy_blocks<double>(
      comm, folder + "/classes.npy", shape,
      std::span(model.classes).subspan(blocks.first(comm.rank()), blocks.count(comm.rank())));
}

}  // namespace gas::tools
