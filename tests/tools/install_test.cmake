# cmake -DBUILD=… -DWORK=… -DSOURCE=… -DCOMPILER=… -DFLAGS=… -P install_test.cmake
# Installs BUILD into a folder in WORK, makes a program of the C++ in SOURCE/README.md, builds it
# against what was installed, and runs it.
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

find_program(AWK NAMES mawk gawk awk REQUIRED)
run(${AWK} "/^```/ { inside = /^```cpp/\nnext }\ninside" ${SOURCE}/README.md)
file(WRITE ${WORK}/main.cpp "${out}")

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/tools/consumer -B ${WORK}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DMAIN=${WORK}/main.cpp)
run(${CMAKE_COMMAND} --build ${WORK}/build)

# Two pages that link to each other share the rank.
file(WRITE ${WORK}/edges.txt "0 1\n1 0\n")
run(${WORK}/build/consumer ${WORK}/edges.txt)
if(NOT out STREQUAL "0 0.500000\n1 0.500000\n")
  message(FATAL_ERROR "the README's program printed\n${out}")
endif()
