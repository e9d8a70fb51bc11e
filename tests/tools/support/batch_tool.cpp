// gas-batch: runs command lines of tools one after the other in the processes of one mpirun, which
// takes longer to start than most of them to run. Each line of the file that it is given is a
// folder to run in, a tool and its arguments, with U+001F between; rank 0 prints a line with the
// exit code of each. What ends one run on one rank alone ends the whole batch.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

// The tools' own main functions, renamed in their object files.
extern "C" {
int gas_components_main(int, char*[]);
int gas_kcore_main(int, char*[]);
int gas_lda_main(int, char*[]);
int gas_logreg_main(int, char*[]);
int gas_pagerank_main(int, char*[]);
}

namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  for (const char c : line)
    if (c == '\x1f')
      found.emplace_back();
    else
      found.back() += c;
  return found;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::map<std::string, int (*)(int, char*[])> tools = {
      {"gas-components", gas_components_main},
      {"gas-kcore", gas_kcore_main},
      {"gas-lda", gas_lda_main},
      {"gas-logreg", gas_logreg_main},
      {"gas-pagerank", gas_pagerank_main},
  };
  if (argc != 2) return 2;
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ifstream jobs(argv[1]);
  for (std::string line; std::getline(jobs, line);) {
    std::vector<std::string> words = fields(line);
    if (chdir(words.at(0).c_str()) != 0) return 1;
    std::vector<char*> arguments;
    for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
    arguments.push_back(nullptr);
    const int code =
        tools.at(words.at(1))(static_cast<int>(arguments.size()) - 1, arguments.data());
    if (rank == 0) std::printf("%d\n", code);
    std::fflush(stdout);
  }
  MPI_Finalize();
}
