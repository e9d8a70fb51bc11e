# cmake -DBUILD=… -DWORK=… -DSOURCE=… -DCOMPILER=… -DFLAGS=… -P install_test.cmake
# Installs the libraries alone, as built in BUILD, into a folder in WORK; makes a project of the C++ and the
# CMakeLists.txt in SOURCE/README.md, and takes that of docs/template; builds both against what was installed; and
# runs them. Then installs all.
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()
function(expect text part)
  string(FIND "${text}" "${part}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "found\n${text}\nexpected in it: ${part}")
  endif()
endfunction()
find_program(AWK NAMES mawk gawk awk REQUIRED)
# The blocks FIRST … LAST of a language in the README.
function(write_blocks language first last file)
  run(${AWK} "/^```/ { inside = /^```${language}$/ && ++n >= ${first} && n <= ${last}\nnext }\ninside" ${SOURCE}/README.md)
  file(WRITE ${file} "${out}")
endfunction()

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

# The README's project, without a build type.
set(against -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_FLAGS=${FLAGS})
write_blocks(cpp 1 2 ${WORK}/ranking/main.cpp)
write_blocks(cmake 1 1 ${WORK}/ranking/CMakeLists.txt)
write_blocks(cpp 3 3 ${WORK}/calling/main.cpp)
write_blocks(cmake 1 1 ${WORK}/calling/CMakeLists.txt)
run(${CMAKE_COMMAND} -S ${WORK}/ranking -B ${WORK}/build ${against})
expect("${out}" "taking Release")
run(${CMAKE_COMMAND} --build ${WORK}/build)

# Two pages that link to each other share the rank, under their own ids.
file(WRITE ${WORK}/edges.txt "home about\nabout home\n")
run(${WORK}/build/ranking ${WORK}/edges.txt)
if(NOT out STREQUAL "about 0.500000\nhome 0.500000\n")
  message(FATAL_ERROR "the README's program printed\n${out}")
endif()
execute_process(COMMAND ${WORK}/build/ranking ${WORK}/none.txt RESULT_VARIABLE code ERROR_VARIABLE err)
if(NOT code EQUAL 1)
  message(FATAL_ERROR "the README's program ends with ${code} where the file is missing")
endif()
expect("${err}" "none.txt: ")

# The README's call: a ring of three with a way out, and a pair.
run(${CMAKE_COMMAND} -S ${WORK}/calling -B ${WORK}/called ${against})
run(${CMAKE_COMMAND} --build ${WORK}/called)
run(${WORK}/called/ranking)
expect("${out}" "3 0.")
expect("${out}" ", in the component of 0\n4 0.")
expect("${out}" ", in the component of 4\n5 0.")

# The template builds as it was installed, and passes its test.
set(template ${WORK}/prefix/share/doc/gas/template)
run(${CMAKE_COMMAND} -S ${template} -B ${WORK}/template ${against})
run(${CMAKE_COMMAND} --build ${WORK}/template)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/template)
expect("${out}" "100% tests passed, 0 tests failed out of 1")
file(WRITE ${WORK}/pairs.txt "a b\nb c\nd e\n")
run(${WORK}/template/least_id ${WORK}/pairs.txt)
if(NOT out STREQUAL "a 0\nb 0\nc 0\nd 3\ne 3\n")
  message(FATAL_ERROR "the template's program printed\n${out}")
endif()
execute_process(COMMAND ${WORK}/template/least_id ${WORK}/none.txt RESULT_VARIABLE code ERROR_VARIABLE err)
if(NOT code EQUAL 1)
  message(FATAL_ERROR "the template's program ends with ${code} where the file is missing")
endif()
expect("${err}" "none.txt: ")

# A build type that was chosen stays. Who is not the top-level project is warned. The libraries go into a
# shared module.
set(consumer ${SOURCE}/tests/tools/consumer)
list(APPEND against -DMAIN=${WORK}/ranking/main.cpp)
run(${CMAKE_COMMAND} -S ${consumer} -B ${WORK}/debug ${against} -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} -L -N ${WORK}/debug)
expect("${out}" "CMAKE_BUILD_TYPE:STRING=Debug")
file(WRITE ${WORK}/top/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(top CXX)\nadd_subdirectory(${consumer} consumer)\n")
run(${CMAKE_COMMAND} -S ${WORK}/top -B ${WORK}/within ${against})
expect("${err}" "without optimisation")
run(${CMAKE_COMMAND} --build ${WORK}/within)

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/all)
run(${WORK}/all/bin/gas-pagerank --version)
