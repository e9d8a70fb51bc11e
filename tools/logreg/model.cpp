#include "tools/logreg/model.hpp"

namespace gas::tools {

LogregModel read_model(Communicator& comm, const ModelFolder& stored) {
  LogregModel model;
  together(comm, [&] {
    model.bias = stored.facts().flag("bias");
    model.labels = {stored.facts().number("smaller_label"), stored.facts().number("larger_label")};
  });
  model.weights = read_weights(comm, stored, model.bias, model);
  return model;
}

void describe_model(const LogregModel& model, Facts& facts) {
  facts.set("bias", model.bias);
  facts.set("smaller_label", model.labels[0]);
  facts.set("larger_label", model.labels[1]);
  describe_features(model, facts);
}

}  // namespace gas::tools
