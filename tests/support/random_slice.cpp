// One slice of a list of random programs: GAS_LIST names the list, GAS_SLICE the slice.
#include <boost/core/demangle.hpp>

#include "tests/support/random_list.hpp"

namespace gas_test {

template <class List, std::size_t slice>
std::vector<RandomProgram> programs_of() {
  constexpr std::size_t count = (std::tuple_size_v<List> - slice + slices - 1) / slices;
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return std::vector<RandomProgram>{
        {boost::core::demangle(typeid(std::tuple_element_t<slice + i * slices, List>).name()),
         drawn_case<std::tuple_element_t<slice + i * slices, List>>,
         found_wrong<std::tuple_element_t<slice + i * slices, List>>}...};
  }
  (std::make_index_sequence<count>());
}

template std::vector<RandomProgram> programs_of<GAS_LIST, GAS_SLICE>();

}  // namespace gas_test
