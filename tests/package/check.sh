#!/bin/bash
# Builds the Debian package and tries it in a fresh root of the same Debian: install, run, upgrade, remove, purge. Needs mmdebstrap and
# root; says so and ends with 77 (skipped) where one is missing. The root is kept in MEREL_ROOTS (default: ~/.cache/merel-roots).
set -eu
cd "$(dirname "$0")/../.."

skip() {
  echo "package test skipped: $1"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "it needs root, to make a root folder of its own"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
roots=${MEREL_ROOTS:-$HOME/.cache/merel-roots}
base=$roots/$release.tar
root=$(mktemp -d)
daemon=
cleanup() {
  [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
  umount "$root/proc" 2>/dev/null || true
  rm -rf "$root"
}
trap cleanup EXIT

step() { echo "== package: $1"; }
fail() {
  echo "package test FAILED: $1" >&2
  exit 1
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

# make_package VERSION: build/package/merel_VERSION_ARCH.deb
make_package() {
  cmake --preset package >build/package.log 2>&1 &&
    cmake --build --preset package >>build/package.log 2>&1 &&
    (cd build/package && cpack -G DEB -D CPACK_PACKAGE_VERSION="$1") >>build/package.log 2>&1 ||
    { cat build/package.log; fail "the package does not build"; }
}

mkdir -p build "$roots"
step "build"
version=$(sed -nE 's/^project\(merel VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
make_package "$version"
make_package "$version.1"
arch=$(dpkg --print-architecture)
old=build/package/merel_${version}_$arch.deb
new=build/package/merel_${version}.1_$arch.deb
[ -f "$old" ] && [ -f "$new" ] || fail "no package at $old and $new"

step "a fresh $release"
if [ ! -f "$base" ]; then
  mmdebstrap --format=tar --variant=minbase --include=systemd,ca-certificates "$release" "$base.part" </dev/null >build/package-root.log 2>&1 ||
    { tail -20 build/package-root.log; skip "no Debian $release could be fetched"; }
  mv "$base.part" "$base"
fi
tar -C "$root" -xf "$base"
mount -t proc proc "$root/proc"
cp /etc/apt/sources.list "$root/etc/apt/" 2>/dev/null || true
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp "$old" "$new" "$root/tmp/"

start_daemon() {
  inside install -d -o merel -g merel -m 0755 /run/merel
  inside setpriv --reuid=merel --regid=merel --init-groups mereld >"$root/tmp/log" 2>&1 &
  daemon=$!
  for _ in $(seq 100); do
    inside merel status >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  cat "$root/tmp/log"
  fail "the daemon does not answer"
}
stop_daemon() {
  pkill -TERM -x mereld --parent "$daemon" 2>/dev/null || kill -TERM "$daemon" 2>/dev/null || true
  pkill -TERM -x mereld 2>/dev/null || true
  wait "$daemon" 2>/dev/null || true
  daemon=
}

step "install"
inside apt-get update -qq </dev/null >/dev/null 2>&1 || true
inside apt-get install -y -qq --no-install-recommends "/tmp/$(basename "$old")" </dev/null >build/package-install.log 2>&1 ||
  { tail -20 build/package-install.log; fail "it does not install"; }
for file in /usr/bin/mereld /usr/bin/merel /etc/merel/merel.toml /usr/share/merel/boards/virtual7.toml \
  /lib/systemd/system/mereld.service /usr/lib/udev/rules.d/60-merel.rules /usr/share/man/man8/mereld.8 \
  /usr/share/bash-completion/completions/merel; do
  inside test -e "$file" || inside test -e "$file.gz" || inside test -e "/usr$file" || fail "$file is not there"
done
inside id -u merel >/dev/null || fail "the user merel was not made"
for group in gpio spi i2c dialout; do
  inside id -nG merel | grep -qw "$group" || fail "the user merel is not in the group $group"
done
inside systemctl is-enabled --quiet mereld.service || fail "the service is not enabled"
exposure=$(inside systemd-analyze security --offline=true mereld.service 2>/dev/null | sed -nE 's/.*Overall exposure level.*: ([0-9.]+).*/\1/p')
echo "   systemd-analyze security: $exposure"
awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 2.0) }' || fail "the exposure $exposure is above 2.0"
# Unknown keys are for newer versions of systemd; anything else that it finds is a fault.
faults=$(inside systemd-analyze verify --man=no mereld.service 2>&1 | grep 'mereld.service' | grep -v 'Unknown key' || true)
[ -z "$faults" ] || fail "systemd-analyze verify: $faults"
inside mereld --check || fail "the installed configuration has problems"

step "run"
start_daemon
inside merel new morris >/dev/null || fail "no game can be begun"
inside merel sim put a1 W >/dev/null || fail "the virtual board has no hands"
sleep 1
inside merel export running --format text | grep -q '+a1' || fail "the step is not in the record"
stop_daemon

step "upgrade"
echo '# changed by its owner' >>"$root/etc/merel/merel.toml"
inside apt-get install -y -qq --no-install-recommends "/tmp/$(basename "$new")" </dev/null >build/package-install.log 2>&1 ||
  { tail -20 build/package-install.log; fail "it does not upgrade"; }
grep -q 'changed by its owner' "$root/etc/merel/merel.toml" || fail "the upgrade has overwritten the owner's configuration"
start_daemon
inside merel export running --format text | grep -q '+a1' || fail "the running game is gone after the upgrade"
stop_daemon

step "remove and purge"
inside apt-get remove -y -qq merel </dev/null >build/package-install.log 2>&1 || fail "it does not remove"
inside test -e /etc/merel/merel.toml || fail "removing has deleted the configuration"
inside test -e /usr/bin/mereld && fail "removing has left the daemon"
inside apt-get purge -y -qq merel </dev/null >build/package-install.log 2>&1 || fail "it does not purge"
inside test -e /etc/merel && fail "purging has left the configuration"
inside test -e /var/lib/merel/games.sqlite || fail "purging has deleted the games"

step "install again"
inside apt-get install -y -qq --no-install-recommends "/tmp/$(basename "$new")" </dev/null >build/package-install.log 2>&1 ||
  { tail -20 build/package-install.log; fail "it does not install again"; }
start_daemon
inside merel export running --format text | grep -q '+a1' || fail "the games are not found again"
stop_daemon
echo "package test passed: $(basename "$old"), $(du -k "$old" | cut -f1) KiB"
