#include "tests/fuzz/targets.hpp"

#include <array>

namespace gas_fuzz {
namespace {

using gas::loaders::Format;

template <Format format>
void graph_of(std::string_view data) {
  graph(format, data);
}

template <Format format>
void points_of(std::string_view data) {
  points(format, data);
}

constexpr std::array<Target, 26> all{{{"edges", graph_of<Format::edges>},
                                      {"libsvm", graph_of<Format::libsvm>},
                                      {"vw", graph_of<Format::vw>},
                                      {"csv", graph_of<Format::csv>},
                                      {"ldac", graph_of<Format::ldac>},
                                      {"docword", graph_of<Format::docword>},
                                      {"mtx", graph_of<Format::mtx>},
                                      {"metis", graph_of<Format::metis>},
                                      {"hmetis", graph_of<Format::hmetis>},
                                      {"stream", stream},
                                      {"dense", points_of<Format::dense>},
                                      {"npy", points_of<Format::npy>},
                                      {"idx", points_of<Format::idx>},
                                      {"fbin", points_of<Format::fbin>},
                                      {"fvecs", points_of<Format::fvecs>},
                                      {"labels", labels},
                                      {"vertices", vertices},
                                      {"vocabulary", vocabulary},
                                      {"numbers", numbers},
                                      {"array", array},
                                      {"packed", packed},
                                      {"manifest", manifest},
                                      {"model", model},
                                      {"part_file", part_file},
                                      {"partition", partition},
                                      {"options", options}}};

}  // namespace

std::span<const Target> targets() { return all; }

}  // namespace gas_fuzz
