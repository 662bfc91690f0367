#!/usr/bin/env bash
# bootstrap on a machine that can install nothing and has nothing: names every library and how to get it, exits with 2.
. "$(dirname "$0")/lib.sh"
mkdir bin repo
cp "$source_dir/bootstrap" "$source_dir/packages.txt" repo/
for tool in sh awk cat cut dirname env id mkdir printf pwd sed; do
  ln -s "$(command -v $tool)" bin/ 2>/dev/null
done

run_bootstrap() {
  last="bootstrap $*"
  status=0
  PATH=$work/bin "$work/bin/sh" repo/bootstrap "$@" >out 2>err </dev/null || status=$?
}

run_bootstrap
expect_status 2
expect_err 'inih \(Debian package libinih-dev, Fedora package inih-devel\)'
expect_err 'libhdf5-dev'
expect_err 'cmake'
expect_err 'apt-get install .*libgsl-dev'
expect_err 'dnf install .*gsl-devel'
run_bootstrap run x.ini
expect_status 2
run_bootstrap no-such-verb
expect_status 2
expect_err 'no-such-verb'
run_bootstrap run
expect_status 2
expect_err 'which scenario'
run_bootstrap --help
expect_status 0
expect_out 'bootstrap run FILE'
finish
