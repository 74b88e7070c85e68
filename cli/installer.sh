#!/bin/sh
# Installs svc, the client of a skill registry, for the current user and without root:
#
#   curl -fsSL ADDRESS/cli/install.sh | sh
#   curl -fsSL ADDRESS/cli/install.sh | sh -s -- install acme/kit
#
# It downloads the npm package of svc from the registry, verifies its SHA-256 checksum, and installs it with npm: into
# npm's global prefix if that can be written, else into ~/.svc/client with a link in ~/.local/bin. With arguments, it
# then logs in to the registry, unless there is a login, and runs svc with them.
#
#   SVC_INSTALL_PREFIX=FOLDER   installs into this npm prefix instead
#   SVC_ALLOW_HTTP=1            allows plain HTTP to a registry on another machine
#
# The last line runs everything, so that a script whose download was cut off does nothing.

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# fetch ADDRESS FILE
fetch() {
  if has curl; then
    curl -fsS --connect-timeout 20 -o "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    fail 'Neither curl nor wget was found. Install one of them.'
  fi || fail "$1 could not be downloaded."
}

# The SHA-256 checksum of a file, in lower-case hexadecimal digits.
sha256_of() {
  if has sha256sum; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  else
    fail 'Neither sha256sum nor shasum was found. Install one of them.'
  fi
}

# Whether a folder, or the closest existing one above it, can be written.
can_write() {
  closest=$1
  while [ ! -e "$closest" ]; do closest=$(dirname "$closest"); done
  [ -d "$closest" ] && [ -w "$closest" ]
}

require_protected() {
  case $1 in
    https://*) return ;;
    http://localhost | http://localhost[:/]* | http://127.0.0.1 | http://127.0.0.1[:/]* | http://\[::1\]*) return ;;
  esac
  [ "${SVC_ALLOW_HTTP:-}" = 1 ] ||
    fail "$1 is plain HTTP: anyone on the network can change what you install. Use https, or set SVC_ALLOW_HTTP=1."
}

require_node() {
  required=@NODE_VERSION@
  has node || fail "Node $required or later was not found. Install it from https://nodejs.org."
  node -e '
    var own = process.versions.node.split("."), required = process.argv[1].split(".");
    for (var i = 0; i < 3; i++) if (+own[i] !== +required[i]) process.exit(+own[i] > +required[i] ? 0 : 1);
  ' "$required" </dev/null || fail "svc needs Node $required or later, and this is $(node --version)."
  has npm || fail 'npm was not found. Install it: it is a part of Node.'
}

# download BASE FOLDER: the verified package; sets `package` to its name.
download() {
  fetch "$1/cli/svc.tgz.sha256" "$2/checksum"
  expected='' package=''
  read -r expected package <"$2/checksum" || :
  case $package in
    svc-[0-9]*.tgz) ;;
    *) expected='' ;;
  esac
  case $expected$package in
    *[!0-9A-Za-z.+-]*) expected='' ;;
  esac
  [ ${#expected} -eq 64 ] || fail "$1/cli/svc.tgz.sha256 is not a checksum of svc. Check the address."
  fetch "$1/cli/$package" "$2/$package"
  actual=$(sha256_of "$2/$package")
  [ "$actual" = "$expected" ] || fail "The checksum of $1/cli/$package is wrong: $actual, expected $expected. Nothing was installed."
}

# Sets `prefix`, and `bin` to the folder of the command.
choose_prefix() {
  prefix=${SVC_INSTALL_PREFIX:-}
  if [ -z "$prefix" ]; then
    prefix=$(npm prefix --global </dev/null) || fail "npm does not report its global prefix."
    if ! can_write "$prefix/lib/node_modules" || ! can_write "$prefix/bin"; then
      [ -n "${HOME:-}" ] || fail 'HOME is not set.'
      prefix=$HOME/.svc/client
      # The folder of the logins, too.
      mkdir -p "$HOME/.svc" && chmod 700 "$HOME/.svc" || fail "$HOME/.svc can't be written."
      bin=$HOME/.local/bin
      return
    fi
  fi
  case $prefix in
    /*) ;;
    *) fail "The prefix \"$prefix\" is not an absolute path." ;;
  esac
  bin=$prefix/bin
}

# Links the command into `bin`, where it is not npm's own folder.
link_command() {
  [ "$bin" != "$prefix/bin" ] || return 0
  mkdir -p "$bin" || fail "$bin can't be written."
  if [ "$(readlink "$bin/svc" 2>/dev/null)" = "$prefix/bin/svc" ]; then return 0; fi
  if [ -e "$bin/svc" ] || [ -L "$bin/svc" ]; then
    printf 'warning: %s/svc already exists and is not a link of this installer, so it was kept.\n' "$bin" >&2
    bin=$prefix/bin
  else
    ln -s "$prefix/bin/svc" "$bin/svc" || fail "$bin can't be written."
  fi
}

report() {
  printf 'Installed svc %s in %s.\n' "$version" "$prefix"
  case :$PATH: in
    *:"$bin":*)
      found=$(command -v svc || :)
      [ "$found" = "$bin/svc" ] || printf 'warning: %s precedes %s in your PATH.\n' "$found" "$bin/svc" >&2
      ;;
    *) printf 'Add its folder to your PATH, by this line in the profile of your shell:\n\n  export PATH="%s:$PATH"\n\n' "$bin" ;;
  esac
}

# Runs svc at the terminal, if there is one: the standard input is this script.
run_svc() {
  if (: </dev/tty) 2>/dev/null; then "$prefix/bin/svc" "$@" </dev/tty; else "$prefix/bin/svc" "$@" </dev/null; fi
}

# run_command ADDRESS ARGUMENT…: logs in, unless there is a login to the address, and runs svc with the arguments.
run_command() {
  # A login to another registry does not count.
  SVC_API_URL=$1
  export SVC_API_URL
  shift
  run_svc whoami >/dev/null 2>&1 || run_svc login "$SVC_API_URL"
  run_svc "$@"
}

main() {
  set -eu
  base=@BASE_URL@
  require_protected "$base"
  require_node
  folder=$(mktemp -d) || fail 'A temporary folder could not be created.'
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  download "$base" "$folder"
  choose_prefix
  # The package contains its dependencies and has no scripts, so npm needs no registry.
  (cd "$folder" && npm install --global --prefix "$prefix" --offline --ignore-scripts --no-audit --no-fund \
    --no-update-notifier --loglevel error "./$package" </dev/null >/dev/null) ||
    fail "npm could not install $package into $prefix."
  version=$("$prefix/bin/svc" --version </dev/null) || fail "$prefix/bin/svc does not start."
  link_command
  report
  if [ $# -gt 0 ]; then run_command "$base" "$@"; else printf 'Log in with:\n\n  svc login %s\n' "$base"; fi
}

{ main "$@"; }
