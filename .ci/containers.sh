# Gives the container tests an engine: uses one that answers, else installs podman (Debian, as root) and starts its API service.
# To be sourced by bash. Sets DOCKER_HOST and the TESTCONTAINERS_* settings, and CONTAINERS_PID when a service was started (end it
# with `containers_stop`). When there is no engine, CONTAINERS_MISSING says why and nothing else is set.

containers_answer() { curl --silent --fail --max-time 5 --unix-socket "$1" http://engine/_ping >/dev/null 2>&1; }

# Settings that hold where the limits of the machine may not be raised and where cgroups v1 and v2 are mixed. They go to a file of
# our own, so the machine's configuration stays as it is.
containers_configure() {
  local open_files processes
  open_files=$(ulimit -Hn) processes=$(ulimit -Hu)
  [[ $open_files == unlimited || $open_files -gt 16384 ]] && open_files=16384
  [[ $processes == unlimited || $processes -gt 16384 ]] && processes=16384
  cat >"$1" <<CONF
[containers]
default_ulimits = ["nofile=$open_files:$open_files", "nproc=$processes:$processes"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
CONF
}

containers_install() {
  local program missing=()
  for program in podman runc iptables; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [[ -x /usr/lib/podman/netavark ]] || missing+=(netavark)
  [[ -x /usr/lib/podman/aardvark-dns ]] || missing+=(aardvark-dns)
  command -v buildah >/dev/null || missing+=(buildah)
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

containers_start() {
  CONTAINERS_MISSING="" CONTAINERS_PID=""
  if [[ -n ${DOCKER_HOST:-} ]]; then return 0; fi
  if containers_answer /var/run/docker.sock; then return 0; fi
  if [[ $(id -u) -ne 0 ]]; then CONTAINERS_MISSING="no container engine answers, and only root can set one up"; return 1; fi
  if ! containers_install; then CONTAINERS_MISSING="no container engine answers, and podman could not be installed"; return 1; fi

  local folder
  folder=$(mktemp -d /tmp/toolcrib-podman.XXXXXX)
  containers_configure "$folder/containers.conf"
  CONTAINERS_CONF="$folder/containers.conf" podman system service --time=0 "unix://$folder/podman.sock" </dev/null >"$folder/log" 2>&1 &
  CONTAINERS_PID=$! CONTAINERS_FOLDER=$folder
  local i
  for ((i = 0; i < 100; i++)); do
    if containers_answer "$folder/podman.sock"; then
      export DOCKER_HOST="unix://$folder/podman.sock"
      # Without the reaper container, which would be pulled from a registry; and ports are reached on this machine itself.
      export TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1
      return 0
    fi
    kill -0 "$CONTAINERS_PID" 2>/dev/null || break
    sleep 0.1
  done
  CONTAINERS_MISSING="podman does not start: $(tail -n 1 "$folder/log")"
  containers_stop
  return 1
}

containers_stop() {
  [[ -n ${CONTAINERS_PID:-} ]] || return 0
  kill "$CONTAINERS_PID" 2>/dev/null
  wait "$CONTAINERS_PID" 2>/dev/null
  rm -rf "$CONTAINERS_FOLDER"
  CONTAINERS_PID=""
}
