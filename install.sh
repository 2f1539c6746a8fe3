#!/bin/sh
# Installs the command of a dapple release for one user: no root, one file.
#
#	curl -fsSL https://github.com/dapple-dp/dapple/releases/latest/download/install.sh | sh
#
# DAPPLE_FROM is the URL of another release, DAPPLE_BIN another directory than ~/.local/bin.
set -eu

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

fetch() { # URL FILE
	if command -v curl >/dev/null; then
		curl -fsSL -o "$2" "$1"
	elif command -v wget >/dev/null; then
		wget -q -O "$2" "$1"
	else
		fail "there is no curl and no wget; install one of them"
	fi
}

digest() { # FILE
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	elif command -v shasum >/dev/null; then
		shasum -a 256 "$1"
	else
		fail "there is no sha256sum and no shasum, so that the download cannot be checked; install one of them"
	fi
}

# All is in a function: of a script that arrives cut off nothing runs.
install() {
	from=${DAPPLE_FROM:-https://github.com/dapple-dp/dapple/releases/latest/download}
	to=${DAPPLE_BIN:-$HOME/.local/bin}
	case $(uname -s) in
	Linux) system=linux ;;
	Darwin) system=darwin ;;
	*) fail "$(uname -s): no program for this system; download one from $from, or build it with Go" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) machine=amd64 ;;
	aarch64 | arm64) machine=arm64 ;;
	*) fail "$(uname -m): no program for this machine; build one with Go" ;;
	esac
	name=dapple-$system-$machine

	mkdir -p "$to"
	part=$(mktemp -d "$to/.dapple.XXXXXX") # beside its place, so that it moves there whole
	trap 'rm -rf "$part"' EXIT
	fetch "$from/SHA256SUMS" "$part/SHA256SUMS" || fail "$from/SHA256SUMS: cannot be fetched; check DAPPLE_FROM"
	want=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\$/\1/p" "$part/SHA256SUMS")
	[ -n "$want" ] || fail "$from/SHA256SUMS: does not list $name; check DAPPLE_FROM"
	fetch "$from/$name" "$part/dapple" || fail "$from/$name: cannot be fetched; try again"
	got=$(digest "$part/dapple")
	got=${got%% *}
	[ "$got" = "$want" ] || fail "$from/$name: SHA-256 is $got, SHA256SUMS says $want; nothing was installed"
	chmod 755 "$part/dapple"
	mv -f "$part/dapple" "$to/dapple"
	echo "installed $to/dapple: $("$to/dapple" version)"
	case :$PATH: in
	*":$to:"*) ;;
	*) echo "add $to to your PATH" ;;
	esac
}

install
