# The runtime as a shared library: a program of others links it, and a program of MPI runs with it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(shared ${WORK}/shared)
file(REMOVE_RECURSE ${shared})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${shared} -G Ninja -DBUILD_SHARED_LIBS=ON -DGAS_TOOLS=OFF
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_CXX_FLAGS_RELEASE=-O0
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12)
run(ninja -C ${shared} -t commands gas_partition gas_loaders gas_programs)
if(out MATCHES "-fvisibility=hidden")
  message(FATAL_ERROR "shared libraries hide their functions\n${out}")
endif()
run(ninja -C ${shared} gas_gas)
flags(options ${WORK}/all --cflags)
separate_arguments(own UNIX_COMMAND "${FLAGS}")
run(${COMPILER} -std=c++20 ${own} ${options} ${CMAKE_CURRENT_LIST_DIR}/consumer/communicators.cpp
    -o ${shared}/communicators -L${shared}/gas -lgas_gas -Wl,-rpath,${shared}/gas
    -lboost_mpi -lboost_serialization -lmpi_cxx -lmpi -ltbb -lfmt)
run(ldd ${shared}/communicators)
expect("${out}" "libgas_gas.so.0.1 => ${shared}/gas/")
run(${MPIRUN} 2 ${shared}/communicators)
expect("${out}" "2 ranks: done")
