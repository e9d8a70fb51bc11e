# What the project needs of Debian 12, and how it is installed and built. Sourced by tools/check and
# tools/quickstart, with the repository as the current folder.

packages=(
  g++ cmake ninja-build                                      # building
  openmpi-bin libopenmpi-dev                                 # ranks
  libboost-dev libboost-mpi-dev libboost-serialization-dev
  libtbb-dev libeigen3-dev                                   # threads, matrix products
  libmetis-dev libxxhash-dev                                 # partitions
  libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libzstd-dev librandom123-dev
  catch2 clang-format-14 metis pkg-config zstd               # tests
  help2man                                                   # manual pages
  libbenchmark-dev                                           # tools/bench
  python3                                                    # quickstart's data
  libpython3-dev pybind11-dev python3-numpy                  # the Python package
  python3-scipy python3-pandas python3-sklearn python3-mpi4py  # its tests
)

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      echo "$package"
  done
}

# Installs what is missing: as root, or through sudo. Where neither is possible it names the packages
# and ends the script.
install_packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
      echo "These Debian packages are missing, and installing them takes root or sudo:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Configures and builds with the release preset; arguments go to the configuration.
build() {
  cmake --preset release -DGAS_UNITY=ON "$@"
  cmake --build build -j "$(nproc)"
}
