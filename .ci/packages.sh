# install_packages NAME…: Debian packages, with the package lists fetched once. Fails (and says so) when apt does. To be sourced by bash.

install_packages() {
  if [[ $(id -u) -ne 0 ]] || ! command -v apt-get >/dev/null; then
    echo "ci: not installed (this needs root and apt): $*"
    return 1
  fi
  if [[ -z ${PACKAGES_UPDATED:-} ]]; then
    apt-get update -qq </dev/null >/dev/null 2>&1 || echo "ci: apt-get update failed; trying with the lists that are there"
    PACKAGES_UPDATED=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null 2>&1 && return 0
  echo "ci: apt-get could not install: $*"
  return 1
}
