# Installs the libraries alone, as built in BUILD, into WORK/prefix, and all of BUILD into WORK/all; makes a project of
# the C++ and the CMakeLists.txt in SOURCE/README.md, and takes that of docs/template; builds both, and one that uses MPI
# itself, against the libraries alone; and runs them.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})

# The libraries of BUILD serve as those of a build without tools, whose flags are the same.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/libraries -G Ninja -DGAS_TOOLS=OFF
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(ninja -C ${WORK}/libraries -t targets all)
string(REGEX MATCHALL "bin/gas-[a-z]+" tools "${out}")
if(tools)
  message(FATAL_ERROR "GAS_TOOLS=OFF builds ${tools}")
endif()
foreach(library gas partition loaders programs)
  expect("${out}" "${library}/libgas_${library}.a:")
  file(COPY ${BUILD}/${library}/libgas_${library}.a DESTINATION ${WORK}/libraries/${library})
endforeach()
run(${CMAKE_COMMAND} --install ${WORK}/libraries --prefix ${WORK}/prefix)
if(EXISTS ${WORK}/prefix/bin)
  message(FATAL_ERROR "GAS_TOOLS=OFF installs tools")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/all)
run(${WORK}/all/bin/gas-pagerank --version)

# The README's project, without a build type: the engine is compiled optimised all the same.
set(against -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_FLAGS=${FLAGS})
write_blocks(cpp 1 2 ${WORK}/ranking/main.cpp)
write_blocks(cmake 1 1 ${WORK}/ranking/CMakeLists.txt)
write_blocks(cpp 3 3 ${WORK}/calling/main.cpp)
write_blocks(cmake 1 1 ${WORK}/calling/CMakeLists.txt)
run(${CMAKE_COMMAND} -S ${WORK}/ranking -B ${WORK}/build ${against})
expect("${err}" "no CMAKE_BUILD_TYPE")
run(ninja -C ${WORK}/build -t commands ranking)
expect("${out}" " -DNDEBUG ")
expect("${out}" " -O3 ")
expect("${out}" " -falign-functions=64 ")
run(${CMAKE_COMMAND} --build ${WORK}/build)

# Two pages that link to each other share the rank, under their own ids.
file(WRITE ${WORK}/edges.txt "home about\nabout home\n")
run(${WORK}/build/ranking ${WORK}/edges.txt)
if(NOT out STREQUAL "about 0.500000\nhome 0.500000\n")
  message(FATAL_ERROR "the README's program printed\n${out}")
endif()
run_to(1 ${WORK}/build/ranking ${WORK}/none.txt)
expect("${err}" "none.txt: ")

# The README's call: a ring of three with a way out, and a pair. From here on little is optimised: it compiles sooner.
set(soon ${against} "-DCMAKE_CXX_FLAGS=${FLAGS} -Og")
run(${CMAKE_COMMAND} -S ${WORK}/calling -B ${WORK}/called ${soon})
run(${CMAKE_COMMAND} --build ${WORK}/called)
run(${WORK}/called/ranking)
expect("${out}" "3 0.")
expect("${out}" ", in the component of 0\n4 0.")
expect("${out}" ", in the component of 4\n5 0.")

# The template builds as it was installed, and passes its test.
set(template ${WORK}/prefix/share/doc/gas/template)
run(${CMAKE_COMMAND} -S ${template} -B ${WORK}/template ${soon})
run(${CMAKE_COMMAND} --build ${WORK}/template)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/template)
expect("${out}" "100% tests passed, 0 tests failed out of 1")
file(WRITE ${WORK}/pairs.txt "a b\nb c\nd e\n")
run(${WORK}/template/least_id ${WORK}/pairs.txt)
if(NOT out STREQUAL "a 0\nb 0\nc 0\nd 3\ne 3\n")
  message(FATAL_ERROR "the template's program printed\n${out}")
endif()
run_to(1 ${WORK}/template/least_id ${WORK}/none.txt)
expect("${err}" "none.txt: ")

# A build type, or a level of optimisation, that was chosen stays.
set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
list(APPEND against -DMAIN=${WORK}/ranking/main.cpp)
foreach(chosen "-DCMAKE_CXX_FLAGS=${FLAGS} -Og" -DCMAKE_BUILD_TYPE=Debug)
  file(REMOVE_RECURSE ${WORK}/chosen)
  run(${CMAKE_COMMAND} -S ${consumer} -B ${WORK}/chosen ${against} ${chosen})
  if(err MATCHES "CMAKE_BUILD_TYPE")
    message(FATAL_ERROR "with ${chosen}\n${err}")
  endif()
  run(ninja -C ${WORK}/chosen -t commands consumer)
  if(out MATCHES " -O3 ")
    message(FATAL_ERROR "${chosen} becomes\n${out}")
  endif()
endforeach()

# The libraries go into a shared module, and into a program that uses MPI itself, of a project within another.
run(${CMAKE_COMMAND} --build ${WORK}/chosen --target consumer)
file(WRITE ${WORK}/top/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(top CXX)\nadd_subdirectory(${consumer} consumer)\n")
run(${CMAKE_COMMAND} -S ${WORK}/top -B ${WORK}/within ${against})
expect("${err}" "no CMAKE_BUILD_TYPE")
run(${CMAKE_COMMAND} --build ${WORK}/within --target communicators)
foreach(ranks 1 2 3)
  run(${MPIRUN} ${ranks} ${WORK}/within/consumer/communicators)
  expect("${out}" "${ranks} ranks: done")
endforeach()
