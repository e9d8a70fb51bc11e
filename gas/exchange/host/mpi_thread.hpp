#pragma once

namespace gas {

/// Open MPI has a thread of its own, which MPI_Init hands work that MPI_Finalize does not wait for.
/// If the thread comes to it after MPI_Finalize has unloaded its code, the process crashes (4.1.4;
/// a short run on a busy machine). Returns when the thread has done what it was handed so far, or
/// after 10 seconds; at once where there is no such thread. For any thread, before MPI_Finalize.
void local_wait_for_mpi_thread();

}  // namespace gas
